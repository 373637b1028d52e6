export type { KmeansCertificate } from "./certificate.ts";
export { kmeans, type Kmeans, type KmeansOptions } from "./kmeans.ts";
export { predictPartition, type PredictPartitionOptions } from "./predictPartition.ts";
