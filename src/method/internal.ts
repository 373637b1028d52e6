// What other rooms import from method/ beside its public names (index.ts). `npm run lint` keeps it exact.
export {
  gaussiansFrom,
  heldOutRule,
  MOST_POINTS,
  quickPlacing,
  type HeldOutRule,
  type LabelledRows,
  prototypesOf,
} from "./heldOutRule.ts";
export { byRows, finished } from "./fromFunction.ts";
export { clusterMeans, labelRows } from "./placing.ts";
export { placingForm, type MixedPlacing } from "./placingForm.ts";
export { trustForm } from "./method.ts";
export { nearPlace, oneOf, type PlacedOne } from "./placeOne.ts";
