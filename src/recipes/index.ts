export * from "../convex/index.ts";
export { byRepresentativesOptions } from "./byRepresentatives.ts";
export type { ByRepresentativesOptions, ConvexByRepresentatives } from "./byRepresentatives.ts";
export { cc, type CcOptions, ccOptions } from "./cc.ts";
export type { ConvexCompression } from "./compressedCc.ts";
export { convexPath, type ConvexPath, type ConvexPathOptions, convexPathOptions } from "./convexPath.ts";
export type { ConvexPlacing } from "./placedRows.ts";
export {
  carp,
  ccml,
  type Ccml,
  ccscml,
  type Ccscml,
  rcc,
  type RobustCc,
  scc,
  type SparseCc,
} from "./methods.ts";
export type { CentersAndDuals, ClusterPath, ConvexClustering, KeptPairs, LearnedMetric } from "./result.ts";
