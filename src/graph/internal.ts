// What other rooms import from graph/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { noEdges } from "./edges.ts";
export { kdTree } from "./kdTree.ts";
export { searchIn } from "./nearestAmong.ts";
export { approximateNote, directions } from "./nearestNeighbors.ts";
export { comparisonGraph } from "./neighborGraph.ts";
export { reachabilityTree } from "./reachabilityTree.ts";
export { withTotalVariation } from "./totalVariation.ts";
