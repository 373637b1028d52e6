export { KindredError, noteText, toldNotes, type Note, type ToldNote } from "./messages.ts";
export { random, type Random } from "./random.ts";
export type { OnProgress, Progress } from "./progress.ts";
