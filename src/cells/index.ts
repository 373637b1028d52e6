export { contentHash, cellStore, type CellStore, type CellStoreOptions } from "./cellStore.ts";
export { type Cells, runCells } from "./runCells.ts";
export { serveTasks } from "./serveTasks.ts";
