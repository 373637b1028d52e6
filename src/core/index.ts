export { KindredError } from "./errors.ts";
export { noteText, type Note } from "./notes.ts";
export { toldNotes, type ToldNote } from "./notes.ts";
export { random, type Random } from "./random.ts";
export type { OnProgress, Progress } from "./progress.ts";
