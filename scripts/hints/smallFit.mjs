import { families } from "../judge/families.mjs";
import { caseOf } from "./cases.mjs";
import { fitPriors, fitsOf, startFit } from "./fit.mjs";

const SMALL = ["elongated", "noiseColumns"];

/** The priors of a fit to a few generated tables. */
export async function smallFit(tools) {
  const { prior, caution, mistaken } = tools.fitted;
  const before = { ...prior };
  startFit(tools);
  const fits = [];
  for (const family of SMALL) {
    const { X, y, K } = families[family](1);
    const set = {
      name: family,
      read: async () => ({ rows: tools.fromRows(X), options: {}, truths: [{ labels: y, K }] }),
    };
    fits.push(...fitsOf(tools, await caseOf(tools, set), { draws: 1, budgets: [20], wrongs: [0, 0.2] }));
  }
  const found = fitPriors(tools, fits);
  Object.assign(prior, before);
  Object.assign(tools.fitted, { caution, mistaken });
  return found;
}
