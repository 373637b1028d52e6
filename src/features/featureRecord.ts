import type { ColumnKind } from "../data/index.ts";
import type { StoredMatrix } from "../matrix/index.ts";

export type FeatureScale = "auto" | "zscore" | "minmax" | "robust" | "unit" | "none";
export type MissingCells = "fill" | "drop" | "refuse";

/** The data that convert the columns of another table to the same features. Plain JSON. */
export interface FeatureRecord {
  readonly version: 1;
  readonly scale: FeatureScale;
  readonly missing: MissingCells;
  /** In the order of the features. */
  readonly parts: readonly FeaturePart[];
  /** Fills missing cells of numbers, dates, texts and vectors; missing categories become their mean. */
  readonly fill?: FillModel;
}

/** One or more neighbouring features from one column: its number, its levels, the weekday of its dates. */
export interface FeaturePart {
  /** Its column. */
  readonly column: string;
  /** The column's kind; "number" for the time between two dates. */
  readonly kind: ColumnKind;
  /** "plan", "signup (weekday)", "missing: income", "time from ordered to shipped". */
  readonly label: string;
  /** One name per feature: "plan = pro". */
  readonly names: readonly string[];
  /** The total variance of its features, over the training rows. */
  readonly weight: number;
  /** Variance of each feature over the training rows. */
  readonly variances: readonly number[];
  readonly encoding: Encoding;
  /** The adjustment for the levels of other columns. */
  readonly adjust?: readonly Adjustment[];
}

/**
 * The mean of each level of a column, levels x features, is subtracted, so the column no longer shifts the
 * features.
 */
export interface Adjustment {
  readonly column: string;
  readonly levels: readonly string[];
  readonly means: StoredMatrix;
}

export type Encoding =
  | NumberEncoding
  | CopiesEncoding
  | LevelsEncoding
  | CyclicEncoding
  | VectorEncoding
  | TextEncoding
  | MarkEncoding;

/** y = (soften(transform(x)) - center) / spread. */
export interface NumberEncoding {
  readonly form: "number";
  readonly transform: "none" | "power" | "log" | "arcsinh";
  /** power: psi((x + shift) / unit) at the exponent (powerTransform.ts). In older models log: log(max(x + shift, floor));
   * arcsinh: arcsinh(x / unit). */
  readonly shift?: number;
  readonly floor?: number;
  readonly unit?: number;
  readonly exponent?: number;
  /** Values beyond low and high are low and high; with give, which older models have, they approach low - give and
   * high + give. */
  readonly clip?: { readonly low: number; readonly high: number; readonly give?: number };
  readonly center: number;
  readonly spread: number;
  /** Ordered levels by name: the value of each. */
  readonly levels?: readonly string[];
  readonly levelValues?: readonly number[];
  /** All values of a number that has few at uneven distances: a mixture takes them as levels. */
  readonly steps?: readonly number[];
  /** A battery of ratings: the mean of these columns over the row is subtracted first. */
  readonly lessMeanOf?: readonly string[];
  /** A date: the days since the date of this column in the row. */
  readonly since?: string;
  /** An amount: 0 is none, and is filled like a missing cell. A mark may say where it is 0. */
  readonly amount?: true;
}

/** Redundant columns: the mean of the present ones. */
export interface CopiesEncoding {
  readonly form: "copies";
  readonly members: readonly {
    readonly column: string;
    readonly sign: 1 | -1;
    readonly encoding: NumberEncoding;
  }[];
  readonly center: number;
  readonly spread: number;
}

/** Indicators: feature f of a row is (its share of level f - offsets[f]) / spread. */
export interface LevelsEncoding {
  readonly form: "levels";
  /** "one": a level for each row; "path": beginnings of a path; "list": several tokens in a cell. */
  readonly cells: "one" | "path" | "list";
  readonly separator?: string;
  /** Path: the number of levels at each depth, in order. */
  readonly depths?: readonly number[];
  readonly levels: readonly string[];
  /** Rare levels that share the last indicator (of each depth); absent: none were pooled. */
  readonly pooled?: readonly string[];
  readonly offsets: readonly number[];
  readonly spread: number;
}

/** Cosine and sine of 2 pi (x mod period) / period. */
export interface CyclicEncoding {
  readonly form: "cyclic";
  readonly period: "day" | "week" | "year";
  readonly center: readonly [number, number];
  readonly spread: number;
}

export interface VectorEncoding {
  readonly form: "vector";
  /** Rows are divided by their norm first, so only their direction counts. */
  readonly unit: boolean;
  readonly mean: readonly number[];
  /** dimensions x features; absent for the original dimensions. */
  readonly components?: StoredMatrix;
  readonly spread: number;
}

/** Words are hashed to buckets, weighted by (1 + log count) x idf, and the row is divided by its norm. */
export interface TextEncoding {
  readonly form: "text";
  readonly buckets: number;
  /** For the used buckets. */
  readonly used: readonly number[];
  readonly idf: readonly number[];
  readonly mean: readonly number[];
  /** used buckets x features. */
  readonly components: StoredMatrix;
  readonly center: readonly number[];
  readonly spread: number;
}

/** 1 where more than half of the columns are missing, or 0. */
export interface MarkEncoding {
  readonly form: "mark";
  /** Absent: missing. */
  readonly where?: "zero";
  readonly of: readonly string[];
  readonly share: number;
  readonly spread: number;
}

/** x = mean + W z + noise (probabilistic principal components), in the units of the features. */
export interface FillModel {
  readonly mean: readonly number[];
  /** features x components. */
  readonly loadings: StoredMatrix;
  readonly noise: number;
}

/** The outcome for one column of the table. */
export interface FeatureColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** "log, z-score", "3 indicators"; "" if it is left out. */
  readonly became: string;
  /** The total variance of its features: 1 for a column with full weight, 0 for one that is left out. */
  readonly weight: number;
  /** "kept: related to plan, visits", "left out: id". */
  readonly why: string;
}
