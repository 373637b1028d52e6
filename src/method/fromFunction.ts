import { defined } from "../core/internal.ts";
import type { rule } from "../core/internal.ts";
import {
  isSparse,
  matrix,
  multiply,
  symmetricEigen,
  toDense,
  transpose,
  type Matrix,
  type Sparse,
} from "../matrix/index.ts";
import type { FitOptions, Fitted, OpenMethod } from "./method.ts";
import { placingRule, type Proposal } from "./placing.ts";
import type { Told } from "./told.ts";

/** The common part of the results of functions on numbers. */
export interface Result extends Pick<
  Fitted,
  "labels" | "sizes" | "converged" | "warnings" | "objective" | "iterations" | "certificate" | "centers"
> {
  readonly history?: readonly unknown[];
}

/** A method that is one function of the library. */
export function fromFunction<R extends Result>(
  options: rule.OptionRules,
  name: string,
  call: (X: never, options: never) => R,
  propose: (fit: R, X: Matrix) => Proposal,
  tell: (fit: R, options: FitOptions) => Told = () => ({ facts: [], details: {} }),
  fixed: object = {},
): OpenMethod {
  return {
    options,
    fit(X, given) {
      const all = passed(options, { ...fixed, ...defined(given) });
      const fit = call(X as never, all as never);
      const { onProgress: __, ...kept } = all as FitOptions;
      const told = tell(fit, given);
      return finished(X, fit, (dense) => propose(fit, dense), withPairs(told, given, fit.labels), {
        name,
        options: kept,
      });
    },
  };
}

export type Composed = Result & Told & { readonly proposal: Proposal };

/** A method that takes more than one call. */
export function fromCalls(
  options: rule.OptionRules,
  run: (X: never, options: FitOptions) => Composed,
): OpenMethod {
  return {
    options,
    fit(X, given) {
      const fit = run(X as never, defined(given) as FitOptions);
      return finished(X, fit, () => fit.proposal, fit);
    },
  };
}

/** Numbers up to which sparse rows are made dense, to check a rule against them. */
const MOST_NUMBERS = 4e7;

export function finished(
  rows: Matrix | Sparse,
  fit: Result,
  propose: (X: Matrix) => Proposal,
  { facts, details, drawing = {} }: Told,
  call?: Fitted["call"],
): Fitted {
  const { labels, sizes, converged, warnings, objective, iterations, certificate, centers, history } = fit;
  const clusters = sizes.length;
  const X = isSparse(rows) ? (rows.rows * rows.cols <= MOST_NUMBERS ? toDense(rows) : centers!) : rows;
  // For rows that are too many to make dense, the centres are the rule.
  const own = X === centers ? Int32Array.from({ length: clusters }, (_, k) => k) : labels;
  const numbers = history?.every((value) => typeof value === "number") ? (history as number[]) : undefined;
  const { metric } = fit as { readonly metric?: unknown };
  return {
    labels,
    clusters,
    sizes,
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    centers,
    placing: placingRule(X, own, clusters, propose(X)),
    ...(isMatrix(metric) && { metric }),
    facts,
    details,
    drawing: { ...(numbers !== undefined && { history: numbers }), ...drawing },
    ...(call !== undefined && { call }),
  };
}

const isMatrix = (value: unknown): value is Matrix =>
  typeof value === "object" && value !== null && "data" in value && "cols" in value;

export const byCenters = ({ centers }: Result): Proposal => ({ kind: "centers", centers: centers! });

export const byRows = (): Proposal => ({ kind: "rows" });

export const underMetric = (fit: Result): Proposal => {
  const { metric } = fit as { readonly metric?: unknown };
  return { kind: "centers", centers: fit.centers!, ...(isMatrix(metric) && { map: squareRoot(metric) }) };
};

/** Also tells how many of the given pairs hold. */
export function withPairs(
  told: Told,
  { mustLink = [], cannotLink = [] }: FitOptions,
  labels: Int32Array,
): Told {
  if (mustLink.length + cannotLink.length === 0) return told;
  const must = mustLink.filter(([i, j]) => labels[i] === labels[j]).length;
  const cannot = cannotLink.filter(([i, j]) => labels[i] !== labels[j]).length;
  const kept = `${must} of ${mustLink.length} must-links and ${cannot} of ${cannotLink.length} cannot-links kept`;
  const details = {
    mustLinks: mustLink.length,
    mustLinksKept: must,
    cannotLinks: cannotLink.length,
    cannotLinksKept: cannot,
  };
  return { ...told, facts: [...told.facts, ["pairs", kept]], details: { ...details, ...told.details } };
}

/** B^(1/2): rows times it are Euclidean. */
export function squareRoot(B: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(B);
  const scaled = matrix(vectors.rows, vectors.cols);
  for (let i = 0, p = 0; i < vectors.rows; i++) {
    for (let k = 0; k < vectors.cols; k++, p++)
      scaled.data[p] = vectors.data[p] * Math.sqrt(Math.max(0, values[k]));
  }
  return multiply(scaled, transpose(vectors));
}

/** Options that every method of a family is offered, and that not all take. */
const OFFERED: ReadonlySet<string> = new Set(["names", "seed", "onProgress"]);

/** The options for a call: the given ones, and those offered to all that the method takes. */
export function passed(rules: rule.OptionRules, given: object): object {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && (name in rules || !OFFERED.has(name)),
    ),
  );
}

/** The method with a `fit` that makes sparse rows dense, unless its needs say that it takes them as they are. */
export function withDenseRows<
  M extends {
    readonly needs: { readonly sparse?: boolean };
    open(): Promise<{ fit(X: Matrix | Sparse, ...others: never[]): unknown }>;
  },
>(method: M): M {
  if (method.needs.sparse === true) return method;
  return {
    ...method,
    async open() {
      const opened = await method.open();
      const fit = (X: Matrix | Sparse, ...others: never[]): unknown =>
        opened.fit(isSparse(X) ? toDense(X) : X, ...others);
      return { ...opened, fit };
    },
  };
}
