/**
 * Batteries of ratings: columns of ordered answers on one scale. A respondent's habit to agree moves all of
 * them: the first principal component has one sign, though it is not the only component. Then the row's mean
 * is subtracted (ipsatised answers, Cattell 1944).
 */
import type { Note } from "../../core/index.ts";
import { meanOf, note } from "../../core/internal.ts";
import type { ColumnKind } from "../../data/index.ts";
import { gram, matrix, symmetricEigen } from "../../matrix/index.ts";
import type { Encoding, NumberEncoding } from "../featureRecord.ts";
import { numberText, type Candidate } from "./candidates.ts";
import { rawNumbers, type Cells } from "./encodePart.ts";
import { learnNumber } from "./numberEncoding.ts";

const LEAST_RATINGS = 5;
const MOST_RATINGS = 500;
const FEW_LEVELS = 12;
const SAME_SIGN = 0.9;
const SECOND_SHARE = 0.4;
const SECOND_LEAST = 1.5;

/** Groups of the given columns (NaN where missing) that are such batteries. */
export function batteries(columns: readonly Float64Array[]): number[][] {
  return onOneScale(columns).filter(
    (group) => group.length <= MOST_RATINGS && generalFactor(group.map((k) => columns[k])),
  );
}

/** Groups of parts that are ratings on one scale, by their first and last level. */
export function ratingScales(
  parts: readonly { readonly kind: ColumnKind; readonly encoding: Encoding }[],
): number[][] {
  const rated = parts.flatMap(({ kind, encoding }, k) =>
    kind === "ordered" && encoding.form === "number" && fewLevels(encoding)
      ? [{ k, values: encoding.levelValues ?? [] }]
      : [],
  );
  return onOneScale(rated.map(({ values }) => values)).map((group) => group.map((place) => rated[place].k));
}

/** The places of columns with one range, at least LEAST_RATINGS of them. */
function onOneScale(columns: readonly ArrayLike<number>[]): number[][] {
  const byScale = new Map<string, number[]>();
  columns.forEach((values, k) => {
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < values.length; i++) {
      if (values[i] < least) least = values[i];
      if (values[i] > most) most = values[i];
    }
    const key = `${least} ${most}`;
    byScale.set(key, [...(byScale.get(key) ?? []), k]);
  });
  return [...byScale.values()].filter((group) => group.length >= LEAST_RATINGS);
}

/** Whether ordered columns of so many levels are treated as levels, not as numbers. */
export function fewLevels({ levelValues }: NumberEncoding): boolean {
  return levelValues !== undefined && levelValues.length <= FEW_LEVELS;
}

function generalFactor(columns: readonly Float64Array[]): boolean {
  const d = columns.length;
  const Z = matrix(columns[0].length, d);
  columns.forEach((values, k) => {
    const mean = meanOf(values.filter((value) => !Number.isNaN(value)));
    values.forEach((value, i) => (Z.data[i * d + k] = Number.isNaN(value) ? 0 : value - mean));
  });
  const R = gram(Z);
  const norms = Float64Array.from({ length: d }, (_, k) => Math.sqrt(R.data[k * d + k]));
  for (let p = 0; p < d * d; p++) R.data[p] /= Math.max(norms[p % d] * norms[Math.floor(p / d)], 1e-300);
  const { values, vectors } = symmetricEigen(R);
  let positive = 0;
  for (let a = 0; a < d; a++) if (vectors.data[a * d] > 0) positive++;
  const same = Math.max(positive, d - positive) / d;
  return same >= SAME_SIGN && values[1] >= SECOND_SHARE * values[0] && values[1] >= SECOND_LEAST;
}

/** Ratings on one scale with a general factor: the row's mean is subtracted. */
export function withBatteries(
  candidates: readonly Candidate[],
  cells: Cells,
  sample: Int32Array,
  notes: Note[],
): Candidate[] {
  const all = Int32Array.from({ length: cells.rows }, (_, i) => i);
  const out = [...candidates];
  const ratings = candidates.flatMap(({ kind, encoding, column }, place) =>
    kind === "ordered" && encoding.form === "number"
      ? [{ place, column, values: rawNumbers(encoding, column, cells, sample) }]
      : [],
  );
  for (const group of batteries(ratings.map(({ values }) => values))) {
    const members = group.map((g) => ratings[g]);
    const names = members.map(({ column }) => column);
    for (const { place, column } of members) {
      const before = candidates[place].encoding as NumberEncoding;
      const raw = rawNumbers({ ...before, lessMeanOf: names }, column, cells, all);
      const learned = learnNumber(raw, { scale: "zscore", transforms: "none" });
      if (learned === undefined) continue;
      const { levels, levelValues } = before;
      const encoding: NumberEncoding = {
        ...learned,
        ...(levels !== undefined && levelValues !== undefined && { levels, levelValues }),
        lessMeanOf: names,
      };
      out[place] = { ...candidates[place], encoding, became: numberText(encoding, "auto") };
    }
    notes.push(
      note(
        "battery",
        `${names.length} ratings on one scale are correlated (${names.slice(0, 3).join(", ")}, ...): ` +
          "the mean of each row over them is subtracted",
      ),
    );
  }
  return out;
}
