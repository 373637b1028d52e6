import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireList } from "../matrix/internal.ts";
import { inputError, rule } from "../core/internal.ts";
import { applyDiscretization, discretize, type DiscretizeOptions } from "./discretize.ts";
import { type Discrete, encodeLevels, withVariable } from "./discrete.ts";
import { informationTable, withPairInformation } from "./pairInformation.ts";

/**
 * Entropies and informations of discrete variables, given as one value of any kind per row (null and
 * undefined are refused; -1 is an ordinary level). In nats unless `unit` says bits; plug-in, or with Miller
 * and Madow's correction, under which a negative information is returned as 0.
 */
export const INFORMATION_RULES = {
  estimator: rule.oneOf(["plug-in", "miller-madow"], "plug-in", { says: "estimator of entropies" }),
  unit: rule.oneOf(["nats", "bits"], "nats", { says: "unit of information" }),
};

export type InformationOptions = rule.OptionsOf<typeof INFORMATION_RULES>;

/** One value per row. */
export type Values = ArrayLike<number | string | boolean>;

/** H(X). */
export function entropy(x: Values, options: InformationOptions = {}): number {
  return pairsOf("entropy", { x }, options).entropies[0];
}

/** The mutual information I(X; Y) = H(X) + H(Y) - H(X, Y). */
export function information(x: Values, y: Values, options: InformationOptions = {}): number {
  return pairsOf("information", { x, y }, options).shared;
}

/** The symmetric uncertainty from informations; 0 for constants. */
export function uncertainty(shared: number, entropyX: number, entropyY: number): number {
  const sum = entropyX + entropyY;
  return sum > 0 ? Math.min(1, (2 * shared) / sum) : 0;
}

export interface InformationMatrixOptions extends InformationOptions, DiscretizeOptions {}

/** I between all columns of X, discretised as requested; the diagonal holds the entropies. */
export function informationMatrix(input: MatrixLike, options: InformationMatrixOptions = {}): Matrix {
  const X = asMatrix(input, "informationMatrix");
  rule.requireOptions("informationMatrix", options);
  const { estimator, unit, ...rest } = options;
  const resolved = rule.resolveOptions("informationMatrix", { estimator, unit }, INFORMATION_RULES);
  const variables = applyDiscretization(discretize(X, rest), X);
  const table = informationTable(X.rows, resolved.estimator, resolved.unit);
  return withPairInformation(variables, table, true, (pairs) => pairs.matrix());
}

function pairsOf(
  method: string,
  given: Readonly<Record<string, Values>>,
  options: InformationOptions,
): { readonly entropies: Float64Array; readonly shared: number } {
  const { estimator, unit } = rule.resolveOptions(method, options, INFORMATION_RULES);
  const variables = encoded(method, given);
  const table = informationTable(variables.rows, estimator, unit);
  return withPairInformation(variables, table, false, (pairs) => ({
    entropies: pairs.entropies,
    shared: pairs.row(0)[variables.cols - 1],
  }));
}

function encoded(method: string, given: Readonly<Record<string, Values>>): Discrete {
  for (const [name, values] of Object.entries(given)) requireList(values, `${method}: "${name}"`);
  const rows = Object.values(given)[0].length;
  if (rows === 0) throw inputError(`${method}: there are no rows`);
  let table: Discrete = { rows, cols: 0, levels: new Int32Array(0), codes: new Uint16Array(0) };
  for (const [name, values] of Object.entries(given)) {
    if (values.length !== rows) {
      throw inputError(`${method}: "${name}" has ${values.length} values, but there are ${rows} rows`);
    }
    const { codes, levels } = encodeLevels(values, `${method}: "${name}"`);
    table = withVariable(table, codes, levels);
  }
  return table;
}
