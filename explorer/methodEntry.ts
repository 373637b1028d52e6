import type { Constraints } from "kindred/data";
import type { Matrix } from "kindred/matrix";
import type { MethodShown, OptionShown, OwnValue, Told } from "./protocol.ts";

/** A method of the explorer: what the page shows, how it runs, and the library call that does the same. */
export interface MethodEntry extends MethodShown {
  /** Draws random numbers, so that the seed counts. */
  readonly seeded: boolean;
  /** Of the program that does the same: the functions to import, and the call. */
  readonly imports: readonly string[];
  call(text: CallText): string;
  /** Decides options that were left open and that `kindred cluster` decides by the data, too. */
  settle?(own: Own, rows: { readonly X: Matrix; readonly pairs: Constraints }): Own;
  run(X: Matrix, given: Given): Promise<Found>;
}

export type Own = Readonly<Record<string, OwnValue>>;

/** The parts of a call as text; `options` are entries of an object literal, `pairs` the name of a variable. */
export interface CallText {
  readonly options: readonly string[];
  readonly pairs?: string;
  readonly seed: number;
}

/** What a method runs with: the rows are scaled already. */
export interface Given {
  readonly clusters?: number;
  readonly seed: number;
  readonly own: Own;
  readonly pairs: Constraints;
  readonly onProgress: (told: Told) => void;
}

export interface Found {
  readonly labels: Int32Array;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly iterations?: number;
  readonly objective?: number;
  readonly certificate?: object;
  readonly centers?: Matrix;
  /** On the scaled features, d x d. */
  readonly metric?: Matrix;
  readonly facts?: readonly (readonly [string, string])[];
}

/** An object literal. */
export function literal(options: readonly string[], ...more: readonly (string | undefined)[]): string {
  return `{ ${[...more.filter((one) => one !== undefined), ...options].join(", ")} }`;
}

/** Pairs as an entry of an object literal, if there are any. */
export function spread(pairs: string | undefined): string | undefined {
  return pairs === undefined ? undefined : `...${pairs}`;
}

export function hasPairs({ mustLink, cannotLink }: Constraints): boolean {
  return mustLink.length + cannotLink.length > 0;
}

export const RESTARTS: OptionShown = {
  name: "restarts",
  label: "Restarts",
  kind: "number",
  default: 10,
  min: 1,
  max: 200,
  step: 1,
};

export const PENALTY: OptionShown = {
  name: "penalty",
  label: "Penalty of a violated hint",
  kind: "number",
  default: 1,
  min: 0.01,
  max: 1000,
  step: 0.1,
};

export function neighbors(count: number): OptionShown {
  return {
    name: "neighbors",
    label: "Neighbours",
    kind: "number",
    default: count,
    min: 1,
    max: 200,
    step: 1,
  };
}
