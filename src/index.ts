export * from "./core/index.ts";
export * from "./matrix/index.ts";
export * from "./graph/index.ts";
export * from "./score/index.ts";
export * from "./cluster/index.ts";
export * from "./data/index.ts";
export * from "./optimize/index.ts";
export * from "./convex/index.ts";
