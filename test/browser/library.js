// Every function that these tests use, as it is built.
export { random } from "../../dist/index.js";
export * from "../../dist/matrix/index.js";
export * from "../../dist/graph/index.js";
export * from "../../dist/score/index.js";
export * from "../../dist/cluster/index.js";
export * from "../../dist/data/index.js";
export * from "../../dist/optimize/index.js";
export * from "../../dist/metric/index.js";
export * from "../../dist/recipes/index.js";
export * from "../../dist/embed/index.js";
export * from "../../dist/select/index.js";
export * from "../../dist/classify/index.js";
