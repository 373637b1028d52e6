import { inputError, rule } from "../core/internal.ts";

/**
 * One label per row. Any numbers or strings; `-1` (also as text), null, undefined and the empty string are unknown.
 * If the classes are the two signs, -1 and 1, as in many binary data sets, -1 is an ordinary class.
 */
export type Labeling = ArrayLike<Label | null | undefined>;
export type Label = number | string;

export interface EncodedLabels {
  /** The class of each row as an index into `classes`; -1 if the label is unknown. */
  readonly codes: Int32Array;
  /** The distinct labels: numbers ascending, then strings by code unit, for any order of the rows. */
  readonly classes: readonly Label[];
}

/**
 * Numbers the classes of a labeling 0 .. K-1. A number and its text are the same class, because one labeling often
 * comes from a file and the other from a program.
 */
export function encodeLabels(values: Labeling): EncodedLabels {
  requireLabels(values);
  const codes = new Int32Array(values.length);
  const classes: Label[] = [];
  const codeOf = new Map<Label | null | undefined, number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let code = codeOf.get(value);
    if (code === undefined) {
      code = newCode(value, i, classes, codeOf);
      codeOf.set(value, code);
    }
    codes[i] = code;
  }
  const signs = classes.length === 1 && Number(classes[0]) === 1 && codes.includes(MINUS_ONE);
  if (signs) classes.push(typeof classes[0] === "number" ? -1 : "-1");
  for (let i = 0; i < codes.length; i++) if (codes[i] === MINUS_ONE) codes[i] = signs ? 1 : -1;
  return inOrder(codes, classes);
}

/** JavaScript callers may pass anything. */
export function requireLabels(values: unknown): void {
  const { length } = (values ?? {}) as { readonly length?: unknown };
  if (typeof values !== "function" && typeof length === "number" && length < 2 ** 31) return;
  throw inputError(`labels are an array with one for each row, got ${rule.describe(values)}`);
}

/** Represents the label -1 until all classes are known. */
const MINUS_ONE = -2;

/** For a single label; `encodeLabels` sees the whole labeling and knows when -1 is a sign. */
export function isUnknown(value: Label | null | undefined): boolean {
  return value === null || value === undefined || value === "" || value === -1 || value === "-1";
}

function newCode(
  value: Label | null | undefined,
  row: number,
  classes: Label[],
  codeOf: Map<Label | null | undefined, number>,
): number {
  if (value === -1 || value === "-1") return MINUS_ONE;
  if (value === null || value === undefined || value === "") return -1;
  if (typeof value !== "string" && typeof value !== "number") {
    throw inputError(
      `the label of row ${row} (counted from 0) must be a number or a string, got ${typeof value}`,
    );
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw inputError(`the label of row ${row} (counted from 0) is ${value}; use -1, null or "" for unknown`);
  }
  const twin = typeof value === "number" ? String(value) : Number(value);
  if (String(twin) === String(value)) {
    const code = codeOf.get(twin);
    if (code !== undefined) return code;
  }
  classes.push(value);
  return classes.length - 1;
}

function inOrder(codes: Int32Array, classes: Label[]): EncodedLabels {
  const order = Int32Array.from(classes.keys()).sort((a, b) => compareLabels(classes[a], classes[b]));
  const place = new Int32Array(classes.length);
  for (let k = 0; k < order.length; k++) place[order[k]] = k;
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = place[codes[i]];
  return { codes, classes: Array.from(order, (k) => classes[k]) };
}

function compareLabels(a: Label, b: Label): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  if (typeof b === "number") return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
