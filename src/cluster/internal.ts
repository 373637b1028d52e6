// What other rooms import from cluster/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { centerModel, knownRowsForm, placeByCenters, predictNearest } from "./centerModel.ts";
export { placeByRows, rowModel } from "./rowModel.ts";
export { cellsOf, cellTree } from "./compress/cellTree.ts";
export { compressionOf } from "./compress/representatives.ts";
export { distinctRows } from "./clusterInput.ts";
export { kmeansInOrder, kmeansLabels } from "./kmeans/kmeans.ts";
export { withPoints } from "./kmeans/withPoints.ts";
export { knownPlacing, placeKnown, type KnownRows } from "./knownRows.ts";
export { wardTree } from "./linkage/wardTree.ts";
export { precisions, whitening } from "./mixture/gaussianCovariance.ts";
export { DEAD, gaussianEm, mixtureFrom, penalty, type EmRun, type Mixture } from "./mixture/gaussianEm.ts";
export { fittedMixture, gaussianMixtureInOrder, unusedWarning } from "./mixture/gaussianMixture.ts";
export { mixtureModel } from "./mixture/gaussianMixtureModel.ts";
export { densityOf, withMixtureRows } from "./mixture/mixtureRows.ts";
export { exclusionGraph } from "./pairs/coloring/exclusionGraph.ts";
export { requireColoring } from "./pairs/coloring/feasible.ts";
export { violatedPairs } from "./pairs/violatedPairs.ts";
export { constrainedAssigner } from "./pairs/constrainedAssignment.ts";
