import { form } from "../core/internal.ts";
import type { ColumnKind } from "../data/index.ts";
import { COLUMN_KINDS } from "../data/internal.ts";
import { matrixForm } from "../matrix/internal.ts";

const spread = form.number({ above: 0 });

/** What the features of a part are made of; "features" is their number. */
const encodingForm = form.where(
  form.tagged("form", {
    /** y = (soften(transform(x)) - center) / spread. */
    number: {
      transform: form.choice("none", "log", "arcsinh"),
      /** log: log(max(x + shift, floor)); arcsinh: arcsinh(x / unit). */
      shift: form.optional(form.number()),
      floor: form.optional(form.number()),
      unit: form.optional(form.number()),
      /** Values beyond low and high approach low - give and high + give. */
      clip: form.optional(
        form.record({ low: form.number(), high: form.number(), give: form.number({ above: 0 }) }),
      ),
      center: form.number(),
      spread,
      /** Ordered levels by name: the value of each. */
      levels: form.optional(form.list(form.text(), "named levels")),
      levelValues: form.optional(form.numbers("named levels")),
      /** All values of a number that has few at uneven distances: a mixture takes them as levels. */
      steps: form.optional(form.numbers()),
      /** A date: the days since the date of this column in the row. */
      since: form.optional(form.text()),
      /** An amount: 0 is none, and is filled like a missing cell. A mark may say where it is 0. */
      amount: form.optional(form.choice(true)),
    },
    /** Indicators: feature f of a row is (its share of level f - offsets[f]) / spread. */
    levels: {
      /** "one": a level for each row; "path": beginnings of a path; "list": several tokens in a cell. */
      cells: form.choice("one", "path", "list"),
      separator: form.optional(form.text()),
      /** Path: the number of levels at each depth, in order. */
      depths: form.optional(form.wholes(undefined, { min: 0 })),
      levels: form.list(form.text(), "features"),
      /** Rare levels that share the last indicator (of each depth); absent: none were pooled. */
      pooled: form.optional(form.list(form.text())),
      offsets: form.numbers("features"),
      spread,
    },
    /** Cosine and sine of 2 pi (x mod period) / period. */
    cyclic: { period: form.choice("day", "week", "year"), center: form.numbers(2), spread },
    vector: {
      /** Rows are divided by their norm first, so only their direction counts. */
      unit: form.boolean(),
      mean: form.numbers("dimensions"),
      /** dimensions x features; absent for the original dimensions. */
      components: form.optional(matrixForm("dimensions", "features")),
      spread,
    },
    /** A word that is not known stands for those inside it. The sum of the vectors of the words, each times (1 + log count), divided by its norm. */
    words: {
      words: form.list(form.text(), "words"),
      /** words x features, times how rare the word is. */
      vectors: matrixForm("words", "features"),
      center: form.numbers("features"),
      spread,
    },
    /** An amount: 1 where it is 0. */
    mark: {
      share: form.number(),
      spread,
    },
  }),
  (encoding, refuse) => {
    if (encoding.form === "number" && encoding.unit === 0) throw refuse("unit", "is 0");
    if (encoding.form === "levels" && encoding.depths !== undefined) {
      const { depths, levels } = encoding;
      if (depths.reduce((sum, count) => sum + count, 0) !== levels.length) {
        throw refuse("depths", `does not add to the ${levels.length} levels`);
      }
    }
  },
);

/** One or more neighbouring features from one column: its number, its levels, the weekday of its dates. */
const partForm = form.where(
  form.record({
    /** Its column. */
    column: form.text(),
    /** The column's kind; "number" for the time between two dates. */
    kind: form.choice(...COLUMN_KINDS),
    /** "plan", "signup (weekday)", "missing: income", "time from ordered to shipped". */
    label: form.text(),
    /** One name per feature: "plan = pro". */
    names: form.list(form.text(), "features"),
    /** The total variance of its features, over the training rows. */
    weight: form.number({ min: 0 }),
    /** Variance of each feature over the training rows. */
    variances: form.numbers("features"),
    encoding: encodingForm,
    /** The adjustment for the levels of other columns. */
    adjust: form.optional(
      form.list(
        /** The mean of each level is subtracted, so the column no longer shifts the features. */
        form.record({
          column: form.text(),
          levels: form.list(form.text(), "levels"),
          means: matrixForm("levels", "features"),
        }),
      ),
    ),
  }),
  ({ names, encoding }, refuse) => {
    const { form } = encoding;
    // The other forms have a number for each feature.
    const isWhole = form === "vector" && encoding.components === undefined;
    const width = isWhole ? encoding.mean.length : { number: 1, mark: 1, cyclic: 2 }[form as string];
    if (width === undefined || width === names.length) return;
    throw refuse("names", `has ${names.length} entries for ${width} features`);
  },
);

/** The data that convert the columns of another table to the same features. */
export const featureRecordForm = form.asStored(
  form.record({
    version: form.choice(2),
    scale: form.choice("auto", "zscore", "minmax", "robust", "unit", "none"),
    missing: form.choice("fill", "drop", "refuse"),
    /** In the order of the features. */
    parts: form.list(partForm),
    /** Fills missing cells of numbers, dates, texts and vectors; missing categories become their mean. */
    fill: form.optional(
      /** x = mean + W z + noise (probabilistic principal components), in the units of the features. */
      form.record({
        mean: form.numbers("filled"),
        /** features x components. */
        loadings: matrixForm("filled"),
        noise: form.number(),
      }),
    ),
  }),
);

export interface FeatureRecord extends form.StoredOf<typeof featureRecordForm> {}
export type FeatureScale = FeatureRecord["scale"];
export type MissingCells = FeatureRecord["missing"];
export interface FeaturePart extends form.StoredOf<typeof partForm> {}
export type Adjustment = NonNullable<FeaturePart["adjust"]>[number];
export type FillModel = NonNullable<FeatureRecord["fill"]>;

export type Encoding = form.StoredOf<typeof encodingForm>;
export type NumberEncoding = Extract<Encoding, { readonly form: "number" }>;
export type LevelsEncoding = Extract<Encoding, { readonly form: "levels" }>;
export type CyclicEncoding = Extract<Encoding, { readonly form: "cyclic" }>;
export type VectorEncoding = Extract<Encoding, { readonly form: "vector" }>;
export type WordsEncoding = Extract<Encoding, { readonly form: "words" }>;

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
