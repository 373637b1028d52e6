// What other rooms import from convex/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { clusterMeans } from "./path/assignment.ts";
export { availableCounts, distinctCount } from "./path/fit.ts";
export { fusionTree, gaps } from "./path/fusionTree.ts";
export type { Hints } from "./path/hints.ts";
export { clusterPath, type Solved } from "./path/path.ts";
export { COMMON, makeSetting, warnComponents, type Common, type Setting } from "./path/setting.ts";
export { carpRecipe } from "./recipe/carp.ts";
export { ccRecipe, ccRules, fitCc } from "./recipe/cc.ts";
export { ccmlRecipe, squareRoot, type RoundFit } from "./recipe/ccml.ts";
export { ccscmlRecipe } from "./recipe/ccscml.ts";
export { centersStep, squareLoss, type Outcome } from "./recipe/loss.ts";
export { rccRecipe } from "./recipe/rcc.ts";
export { sccRecipe } from "./recipe/scc.ts";
export { groupMeans } from "./solve/means.ts";
