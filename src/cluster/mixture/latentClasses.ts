import { inputError, rule } from "../../core/internal.ts";
import { asMatrix, matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { mixedMixture, mixedMixtureOptions, type MixedMixture } from "./mixedMixture.ts";

export const latentClassesOptions = {
  ...rule.without(mixedMixtureOptions, "components", "ridge", "space", "starts"),
  prior: rule.real({ above: 0, default: 1e-6, says: "rows added to every level of every class" }),
  restarts: rule.integer({ min: 0, max: 10_000, default: 20, says: "random starts beside k-means" }),
  maxIterations: rule.integer({
    min: 1,
    default: 3000,
    says: "maximum number of EM iterations in each start",
  }),
  tolerance: rule.real({
    above: 0,
    default: 1e-9,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
};

export type LatentClassesOptions = rule.OptionsOf<typeof latentClassesOptions>;

/**
 * Latent class analysis (P. F. Lazarsfeld and N. W. Henry, 1968): a mixture for columns of codes that are independent within
 * each class,
 *
 *     maximise  sum_i log sum_k pi_k prod_v theta_{k v c_iv},
 *
 * the mixture of `mixedMixture` without numbers. Codes are any numbers; -1 is missing and says nothing.
 *
 * When not: columns that depend on each other within the classes, which become further classes.
 */
export function latentClasses(input: MatrixLike, options: LatentClassesOptions = {}): MixedMixture {
  const X = asMatrix(input, "latentClasses");
  requireFinite(X);
  if (X.rows === 0 || X.cols === 0)
    throw inputError(`latentClasses: the data is empty (${X.rows} x ${X.cols})`);
  const resolved = rule.resolveOptions("latentClasses", options, latentClassesOptions);
  const columns = Array.from({ length: X.cols }, (_, v) => {
    const values = Float64Array.from({ length: X.rows }, (__, i) => X.data[i * X.cols + v]);
    const levels = [...new Set(values)].filter((value) => value !== -1).sort((a, b) => a - b);
    const place = new Map(levels.map((value, code) => [value, code]));
    return {
      codes: Int32Array.from(values, (value) => place.get(value) ?? -1),
      levels: Math.max(1, levels.length),
    };
  });
  return mixedMixture(matrix(X.rows, 0), columns, resolved as never);
}
