export type { KmeansCertificate } from "./certificate.ts";
export {
  constrainedKmeans,
  type ConstrainedCertificate,
  type ConstrainedKmeans,
  type ConstrainedKmeansOptions,
} from "./constrainedKmeans.ts";
export { feasible, type Conflict, type Feasibility, type FeasibleOptions } from "./feasible.ts";
export { kmeans, type Kmeans, type KmeansOptions } from "./kmeans.ts";
export { predictPartition, type PredictPartitionOptions } from "./predictPartition.ts";
