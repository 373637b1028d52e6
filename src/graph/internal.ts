// What other rooms import from graph/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { breadthFirst, noEdges } from "./edges.ts";
export { kdTree } from "./kdTree.ts";
export { approximateNote, directions, searchIn } from "./nearestNeighbors.ts";
export { comparisonGraph } from "./neighborGraph.ts";
export { reachabilityTree } from "./spanningTree.ts";
export { withTotalVariation } from "./totalVariation.ts";
