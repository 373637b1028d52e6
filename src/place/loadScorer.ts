import { form, inputError } from "../core/internal.ts";
import { nearPlace, oneOf } from "../method/internal.ts";
import { placedForm, requireFormat, scorerOf } from "../model/internal.ts";
import type { Scorer } from "../model/index.ts";

export type { Scored, ScoredRow, Scorer } from "../model/index.ts";

/**
 * The function that places rows, from the content of a model file.
 *
 *     const score = await loadScorer(JSON.parse(text));
 *     const { cluster, name, distance } = score({ plan: "pro", monthly_spend: 95 });
 *
 * It is `loadModel(parsed).scorer()` in 20 kB. Rules that need code of their method (mixtures, density, kernels, a metric)
 * load it first.
 */
export async function loadScorer(parsed: unknown): Promise<Scorer> {
  if (typeof parsed !== "object" || parsed === null) {
    throw inputError("loadScorer takes the parsed content of a model file: loadScorer(JSON.parse(text))");
  }
  requireFormat(parsed);
  const model = form.checked(placedForm, parsed, "the model");
  const { placing, space } = model;
  const place = nearPlace(placing) ?? oneOf((await import("../method/placing.ts")).placingOf(placing));
  const metric = space.metric && (await import("../metric/anyMetric.ts")).loadAnyMetric(space.metric);
  return scorerOf(model, place, metric);
}
