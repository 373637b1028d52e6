// Every function of the library, for tests that use several rooms.
export * from "../src/core/index.ts";
export * from "../src/matrix/index.ts";
export * from "../src/graph/index.ts";
export * from "../src/score/index.ts";
export * from "../src/cluster/index.ts";
export * from "../src/data/index.ts";
export * from "../src/optimize/index.ts";
export * from "../src/metric/index.ts";
export * from "../src/recipes/index.ts";
export * from "../src/embed/index.ts";
export * from "../src/select/index.ts";
export * from "../src/classify/index.ts";
export * from "../src/scale/index.ts";
