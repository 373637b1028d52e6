export type { Bounds } from "./box.ts";
export { lbfgs, type LbfgsOptions } from "./lbfgs.ts";
export type { Minimum, Objective } from "./minimum.ts";
