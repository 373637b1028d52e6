export { type Bar, barChart } from "./barChart.ts";
export { clusterPage, type ClusterRun } from "./clusterPage.ts";
export {
  cells,
  comparePage,
  type ComparePage,
  type ComparedMethod,
  type CompareResult,
} from "./comparePage.ts";
export { clusterProfiles, type Difference, type Profile } from "./clusterProfiles.ts";
export { dendrogramPlot } from "./dendrogramPlot.ts";
export type { Drawing, Tree, TreeMerge } from "../method/drawing.ts";
export { html, type Markup, raw } from "./html.ts";
export { clusterColor, clusterMark } from "./palette.ts";
export { plane, type Plane } from "./plane.ts";
export { type Scatter, scatterPlot } from "./scatterPlot.ts";
