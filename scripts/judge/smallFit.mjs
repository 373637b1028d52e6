import { evidenceOfSet } from "./evidence.mjs";
import { fitPlausibility, ready } from "./fit.mjs";
import { smallSets } from "./sets.mjs";

/** The coefficients of a fit to a few generated sets, with evidence that is measured now. */
export async function smallFit(tools) {
  const sets = [];
  for (const set of smallSets(tools)) sets.push(ready(tools, await evidenceOfSet(tools, set)));
  const { beta, gamma } = fitPlausibility(tools, sets);
  return { beta, gamma };
}
