export { kmeans, type Kmeans, type KmeansCertificate, type KmeansOptions } from "./kmeans.ts";
