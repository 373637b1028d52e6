import { families } from "../judge/families.mjs";
import { caseOf } from "./cases.mjs";
import { fitPriors, fitsOf } from "./fit.mjs";

const SMALL = ["elongated", "noiseColumns"];
const START = { usual: 0.25, judged: 0.25, views: 0.25, learned: 0.25, merged: 1, asSaid: 2, notSaid: 2 };

/** The priors of a fit to a few generated tables, from the same start as ever. */
export async function smallFit(tools) {
  const before = { prior: { ...tools.fitted.prior }, caution: tools.fitted.caution };
  Object.assign(tools.fitted.prior, START);
  tools.fitted.caution = 1;
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
  Object.assign(tools.fitted.prior, before.prior);
  tools.fitted.caution = before.caution;
  return found;
}
