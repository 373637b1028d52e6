/** The features of a record, as the steps of a query. */
import { double, inputError } from "../core/internal.ts";
import type { ColumnRecord } from "../data/index.ts";
import { missingWords, normalLevel, numbersBeside } from "../data/internal.ts";
import type { FeaturePart, FeatureRecord } from "../features/index.ts";
import { levelLine, type NumberEncoding } from "../features/internal.ts";
import { linear, type Dialect, DIALECTS, type SqlDialect } from "./sqlDialect.ts";
import type { ClusteringData } from "./modelForm.ts";

/** One step: the selection from the previous step, beside all its columns. */
export interface SqlStep {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What every step carries: the row of the table. Its columns cannot be confused with those of the steps. */
export const ROW = "kindred_row";

/**
 * Steps from the rows of a table to the features kindred_x0, kindred_x1, ... Columns have the types of their
 * kinds: numbers, dates or times, arrays of numbers, levels as text; null is missing, and is filled as in
 * `applyFeatures`.
 */
export function featureSteps(
  record: FeatureRecord,
  sql: Dialect,
  columns: readonly ColumnRecord[] = [],
): SqlStep[] {
  const { parts, fill, scale } = record;
  if (scale === "unit") throw inputError("rows of unit length cannot be written as SQL", { code: "no-sql" });
  const cells = cellStep(record, sql, columns);
  const raw = parts.flatMap((part) =>
    partExpressions(part, sql).map((expression) =>
      sql.bounded(`${double(Math.sqrt(part.weight))} * (${expression})`),
    ),
  );
  const features = raw.map((_, f) => `kindred_r${f}`);
  const first: SqlStep = {
    name: "kindred_raw",
    columns: raw.map((expression, f) => `${expression} as ${features[f]}`),
  };
  const filled = (value: (f: number) => string): SqlStep => ({
    name: "kindred_features",
    columns: features.map((feature, f) => `coalesce(${feature}, ${value(f)}) as kindred_x${f}`),
  });
  if (fill === undefined) return [cells, first, filled(() => double(0))];
  const { mean, loadings, noise } = fill;
  const q = loadings.cols;
  // Categories help to fill, but are not filled this way.
  const category = parts.flatMap(({ names, encoding }) => names.map(() => encoding.form === "levels"));
  if (q === 0) return [cells, first, filled((f) => double(mean[f]))];
  const w = (f: number, r: number): number => loadings.data[f * q + r];
  const known = (f: number): string => `case when ${features[f]} is null then 0 else 1 end`;
  const a = (i: number, j: number): string => `kindred_a${Math.max(i, j)}_${Math.min(i, j)}`;
  const b = (i: number): string => `kindred_b_${i}`;
  const places = Array.from({ length: q }, (_, r) => r);
  // (W'W + noise I) z = W'(x - mean) over the present features, by elimination.
  const steps: SqlStep[] = [
    cells,
    first,
    {
      name: "kindred_known",
      columns: features.map((_, f) => `${known(f)} as kindred_k${f}`),
    },
    {
      name: "kindred_fill",
      columns: [
        ...places.flatMap((i) =>
          places.slice(0, i + 1).map(
            (j) =>
              `${linear(
                features.map((_, f) => w(f, i) * w(f, j)),
                (f) => `kindred_k${f}`,
              )}${i === j ? ` + ${double(noise)}` : ""} as ${a(i, j)}`,
          ),
        ),
        ...places.map(
          (i) =>
            `${linear(
              features.map((_, f) => w(f, i)),
              (f) => `coalesce(${features[f]} - ${double(mean[f])}, 0e0)`,
            )} as ${b(i)}`,
        ),
      ],
    },
  ];
  const level =
    (k: number): ((name: string) => string) =>
    (name) =>
      k === 0 ? name : `${name}_${k}`;
  for (let k = 0; k < q - 1; k++) {
    const old = level(k);
    const next = level(k + 1);
    const ratio = (i: number): string => `${old(a(i, k))} / ${old(a(k, k))}`;
    steps.push({
      name: `kindred_fill${k + 1}`,
      columns: places
        .slice(k + 1)
        .flatMap((i) => [
          ...places
            .slice(k + 1, i + 1)
            .map((j) => `${old(a(i, j))} - ${ratio(i)} * ${old(a(j, k))} as ${next(a(i, j))}`),
          `${old(b(i))} - ${ratio(i)} * ${old(b(k))} as ${next(b(i))}`,
        ]),
    });
  }
  for (let k = q - 1; k >= 0; k--) {
    const own = level(k);
    const rest = places.slice(k + 1).map((j) => ` - ${own(a(j, k))} * kindred_z${j}`);
    steps.push({
      name: `kindred_fill_z${k}`,
      columns: [`(${own(b(k))}${rest.join("")}) / ${own(a(k, k))} as kindred_z${k}`],
    });
  }
  steps.push(
    filled((f) =>
      category[f]
        ? double(mean[f])
        : `${double(mean[f])} + ${linear(
            places.map((r) => w(f, r)),
            (r) => `kindred_z${r}`,
          )}`,
    ),
  );
  return steps;
}

function partExpressions(part: FeaturePart, sql: Dialect): string[] {
  const { column, encoding, adjust } = part;
  if (adjust !== undefined) throw unwritable(column, "adjusted for another column");
  const cell = sql.field(ROW, column);
  switch (encoding.form) {
    case "number":
      return [numberExpression(encoding, column, part.kind, sql)];
    case "levels": {
      if (encoding.cells !== "one") throw unwritable(column, `a ${encoding.cells} of levels`);
      const { levels, pooled = [], offsets, spread } = encoding;
      const text = levelCell(column, sql);
      const last = levels.length - 1;
      const named = pooled.length === 0 ? levels : levels.slice(0, last);
      const known = [...named, ...pooled].map((level) => sql.text(level)).join(", ");
      return levels.map((level, f) => {
        const own = pooled.length > 0 && f === last ? pooled : [level];
        const is = own.map((one) => sql.text(one)).join(", ");
        return (
          `case when ${text} in (${is}) then ${double((1 - offsets[f]) / spread)} ` +
          `when ${text} in (${known}) then ${double(-offsets[f] / spread)} end`
        );
      });
    }
    case "mark": {
      const zero = `case when ${numberCell(column, sql)} = 0 then 1 else 0 end`;
      return [`(${zero} - ${double(encoding.share)}) / ${double(encoding.spread)}`];
    }
    case "cyclic": {
      const { period, center, spread } = encoding;
      const days = period === "week" ? `floor(${sql.days(cell)})` : sql.days(cell);
      const angle = `${double((2 * Math.PI) / PERIODS[period])} * (${days})`;
      return ["cos", "sin"].map(
        (wave, f) => `(${wave}(${angle}) - ${double(center[f])}) / ${double(spread)}`,
      );
    }
    case "vector": {
      const { unit, mean, components, spread } = encoding;
      const d = mean.length;
      const width = components?.cols ?? d;
      const whole = sql.whole(cell, d);
      const norm = `nullif(sqrt(${sql.dot(whole, whole)}), 0e0)`;
      return Array.from({ length: width }, (_, f) => {
        const direction = Array.from({ length: d }, (__, j) =>
          components === undefined ? Number(j === f) : components.data[j * width + f],
        );
        const at = direction.reduce((sum, c, j) => sum + c * mean[j], 0);
        const along = sql.dot(whole, sql.array(direction));
        return `(${unit ? `coalesce((${along}) / ${norm}, (${along}))` : along} - ${double(at)}) / ${double(spread)}`;
      });
    }
    default:
      throw unwritable(column, "a text");
  }
}

const PERIODS = { day: 1, week: 7, year: 365.2425 } as const;

function numberExpression(
  encoding: NumberEncoding,
  column: string,
  kind: FeaturePart["kind"],
  sql: Dialect,
): string {
  const { transform, shift = 0, floor = 0, unit = 1, clip, center, spread, amount } = encoding;
  let value = rawExpression(encoding, column, kind, sql);
  if (amount === true) value = `nullif(${value}, 0)`;
  if (transform === "log") {
    // greatest() would return the floor for a missing cell.
    const moved = `${value} + ${double(shift)}`;
    value = `ln(case when ${moved} < ${double(floor)} then ${double(floor)} else ${moved} end)`;
  }
  if (transform === "arcsinh") value = `asinh(${value} / ${double(unit)})`;
  if (clip !== undefined) {
    const { low, high, give } = clip;
    const l = double(low);
    const h = double(high);
    const beyond = (distance: string): string =>
      `${double(give)} * (1 - ${sql.exp(`(${distance}) / ${double(give)}`)})`;
    value =
      `case when ${value} > ${h} then ${h} + ${beyond(`${h} - ${value}`)} ` +
      `when ${value} < ${l} then ${l} - ${beyond(`${value} - ${l}`)} else ${value} end`;
  }
  return `(${value} - ${double(center)}) / ${double(spread)}`;
}

/** The number of a cell: the value of an ordered level, the day of a date or its distance to another; null stays null. */
function rawExpression(
  encoding: NumberEncoding,
  column: string,
  kind: FeaturePart["kind"],
  sql: Dialect,
): string {
  const { levels, levelValues, since } = encoding;
  if (since !== undefined)
    return `(${sql.days(sql.field(ROW, column))} - ${sql.days(sql.field(ROW, since))})`;
  if (kind === "date") return sql.days(sql.field(ROW, column));
  if (levels === undefined || levelValues === undefined) return numberCell(column, sql);
  const cases = levels.map((level, k) => `when ${sql.text(level)} then ${double(levelValues[k])}`);
  const beside = besideExpression(encoding, sql.numberOf(levelCell(column, sql)));
  return `case ${levelCell(column, sql)} ${cases.join(" ")}${beside} end`;
}

/** The value of a number that is no level, on the line through the levels beside it. */
function besideExpression(encoding: NumberEncoding, x: string): string {
  const { knots = [] } = levelLine(encoding) ?? {};
  const pieces = knots.slice(1).map(([b, to], k) => {
    const [a, from] = knots[k];
    const along = `${double(from)} + (${x} - ${double(a)}) * ${double((to - from) / (b - a))}`;
    return `when ${x} >= ${double(a)} and ${x} <= ${double(b)} then ${along}`;
  });
  return pieces.length === 0 ? "" : ` else case ${pieces.join(" ")} end`;
}

/** The cell of a column as a number, null if it is missing; as its level. */
const numberCell = (column: string, sql: Dialect): string => sql.name(`kindred_v_${column}`);
const levelCell = (column: string, sql: Dialect): string => sql.name(`kindred_t_${column}`);

/** The numbers and levels that a record uses, by column. */
function usedCells({ parts }: FeatureRecord): Map<string, readonly string[] | undefined> {
  const used = new Map<string, readonly string[] | undefined>();
  const add = (column: string, kind: FeaturePart["kind"], { levels, since }: NumberEncoding): void => {
    if (kind !== "date" && since === undefined) used.set(column, levels);
  };
  for (const { column, kind, encoding } of parts) {
    if (encoding.form === "number") {
      add(column, kind, encoding);
    } else if (encoding.form === "levels") {
      used.set(column, [...encoding.levels, ...(encoding.pooled ?? [])]);
    } else if (encoding.form === "mark") {
      used.set(column, undefined);
    }
  }
  return used;
}

/**
 * Cells as the model reads them: non-finite numbers and words for missing values are missing; a level is
 * recognised regardless of case and spaces.
 */
function cellStep(record: FeatureRecord, sql: Dialect, columns: readonly ColumnRecord[]): SqlStep {
  const made = Array.from(usedCells(record), ([column, own]) => {
    const reading = columns.find(({ name }) => name === column)?.reading ?? {};
    const marks = reading.missingMarks ?? [];
    if (own === undefined) {
      const value = sql.toDouble(sql.name(column), (reading.form ?? reading.unit) !== undefined);
      const named = marks.map(Number).filter(Number.isFinite).map(double);
      const not = named.length === 0 ? "" : ` and ${value} not in (${named.join(", ")})`;
      return `case when ${value} - ${value} = 0${not} then ${value} end as ${numberCell(column, sql)}`;
    }
    const levels = reading.levels ?? own;
    const text = sql.replaced(`cast(${sql.name(column)} as varchar(1000))`, `^${SPACE}+|${SPACE}+$`, "");
    const normal = `trim(${sql.replaced(sql.replaced(`lower(${text})`, "[\\s\u00a0_-]+", " "), "[.!]+$", "")})`;
    const known = new Set(levels.map(normalLevel));
    const words = missingWords().filter((word) => !known.has(normalLevel(word)));
    const listed = (all: readonly string[]): string => all.map((one) => sql.text(one)).join(", ");
    const byLetters = [...known].map((one) => {
      const level = levels.find((own) => normalLevel(own) === one)!;
      return `when ${normal} = ${sql.text(one)} then ${sql.text(level)}`;
    });
    for (const [spelling, place] of Object.entries(reading.spellings ?? {})) {
      if (!known.has(spelling))
        byLetters.push(`when ${normal} = ${sql.text(spelling)} then ${sql.text(levels[place])}`);
    }
    // "2.50" is the level "2.5" if that is a number.
    const byNumber = levels
      .filter((level) => Number.isFinite(Number(level)) && String(Number(level)) === level)
      .map((level) => `when ${sql.numberOf(text)} = ${double(Number(level))} then ${sql.text(level)}`);
    const marked =
      marks.length === 0
        ? ""
        : `when lower(${text}) in (${listed(marks.map((mark) => mark.toLowerCase()))}) then null `;
    return (
      `case ${marked}when ${text} in (${listed(levels)}) then ${text} when ${text} = '' or lower(${text}) in ` +
      `(${listed(words)}) then null ${byLetters.join(" ")} ${byNumber.join(" ")} else ${text} end as ${levelCell(column, sql)}`
    );
  });
  return { name: "kindred_cells", columns: made };
}

/** White space, as patterns of all engines know it. */
const SPACE = "[\\s\u00a0]";

function unwritable(column: string, what: string): Error {
  return inputError(
    `column "${column}" is used as ${what}, which SQL cannot express; leave it out of the clustering`,
    {
      code: "no-sql",
      column,
    },
  );
}

/** What all rows of a table show beyond the training sample of a model, as one counting query. */

interface CheckSql {
  /** One row of counts, one for each of `counted`. */
  readonly query: string;
  /** Cells that are not values of the column's kind, or have an unknown level. */
  readonly counted: readonly { readonly column: string; readonly what: "unread" | "unknown" }[];
  /** The unknown levels of a column, with their counts. */
  unknown(column: string): string;
}

/** Undefined if no column of the model could be read differently. */
export function checkSql(
  { space, columns }: Pick<ClusteringData, "space" | "columns">,
  dialect: Exclude<SqlDialect, "postgres">,
  table: string,
): CheckSql | undefined {
  if (space.kind !== "features") return undefined;
  const sql = DIALECTS[dialect];
  const cells = cellStep(space.record, sql, columns);
  const used = usedCells(space.record);
  if (used.size === 0) return undefined;
  const from = `(select t.*, ${cells.columns.join(", ")} from ${table} as t) as kindred_cells`;
  const kindOf = (column: string): string | undefined => columns.find(({ name }) => name === column)?.kind;
  const levelsOf = (column: string): readonly string[] =>
    columns.find(({ name }) => name === column)?.reading.levels ?? used.get(column)!;
  const unknown = (column: string): string => {
    const levels = levelsOf(column);
    const cell = levelCell(column, sql);
    const beside = kindOf(column) === "ordered" ? numbersBeside(levels) : undefined;
    const read =
      beside === undefined
        ? ""
        : ` and not coalesce(${sql.numberOf(cell)} between ${double(beside.least)} and ${double(beside.most)}, false)`;
    return `${cell} not in (${levels.map((level) => sql.text(level)).join(", ")})${read}`;
  };
  const counted = Array.from(used, ([column, levels]) => ({
    column,
    what: levels === undefined ? ("unread" as const) : ("unknown" as const),
  }));
  const tests = counted.map(({ column, what }) => {
    if (what === "unknown") return unknown(column);
    const cell = sql.name(column);
    return `${cell} is not null and ${sql.numberOf(cell)} is null`;
  });
  const counts = tests.map((test, k) => `sum(case when ${test} then 1 else 0 end) as kindred_n${k}`);
  return {
    query: `select ${counts.join(", ")} from ${from}`,
    counted,
    unknown: (column) =>
      `select ${levelCell(column, sql)} as kindred_level, count(*) as kindred_n from ${from} where ${unknown(column)} ` +
      `group by ${levelCell(column, sql)} order by count(*) desc, ${levelCell(column, sql)} limit 20`,
  };
}
