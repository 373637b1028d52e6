export { adjacency, edgeList, requireEdges, type Adjacency, type Edges } from "./edges.ts";
export { nearestAmong, nearestNeighbors, type NeighborOptions, type Neighbors } from "./nearestNeighbors.ts";
export { neighborGraph, type NeighborGraph, type NeighborGraphOptions } from "./neighborGraph.ts";
export { joinGroups, type Joins, minimumSpanningTree, primTree } from "./spanningTree.ts";
export { totalVariation, type Features, type TotalVariation } from "./totalVariation.ts";
export { components, unionFind, type Components, type UnionFind } from "./unionFind.ts";
