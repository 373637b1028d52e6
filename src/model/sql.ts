import { precisions, type Covariances } from "../cluster/mixture/gaussianCovariance.ts";
import { loadGaussianMixture } from "../cluster/index.ts";
import { inputError, numericError } from "../core/errors.ts";
import type { FeaturePart, FeatureRecord } from "../features/index.ts";
import { cholesky, identity, multiply, solveTriangular } from "../matrix/index.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { restoreMatrix } from "../matrix/storedMatrix.ts";
import { loadMahalanobis } from "../metric/index.ts";
import type { ClusteringData } from "./clustering.ts";
import type { Space } from "./space.ts";

export type SqlDialect = "duckdb" | "spark" | "postgres";

interface Dialect {
  name(name: string): string;
  text(value: string): string;
  readonly double: string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const doubled = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const DIALECTS: Readonly<Record<SqlDialect, Dialect>> = {
  duckdb: { name: quoted, text: doubled, double: "double" },
  postgres: { name: quoted, text: doubled, double: "double precision" },
  spark: {
    name: (name) => `\`${name.replaceAll("`", "``")}\``,
    text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
    double: "double",
  },
};

/**
 * The query that labels the rows of a table where they are: all its columns, and `cluster`, `distance` and `second`,
 * the cluster, the distance to it and the next cluster. A model that places rows by other rows (clusters without
 * centres) has no such query, and texts and vectors have none either; both are refused in words. Gaps are filled by
 * the mean of the training rows.
 *
 * @param table what stands behind FROM
 */
export function modelSql(model: ClusteringData, dialect: SqlDialect, table: string): string {
  const sql = DIALECTS[dialect];
  if (sql === undefined)
    throw inputError(`there is no SQL of "${String(dialect)}"; there is duckdb, spark and postgres`);
  const features = featureExpressions(model.space, sql);
  const { placing, clusters: K } = model;
  const d = features.length;
  const x = (f: number): string => `kindred_x${f}`;
  let scores: string[];
  if (placing.kind === "centers") {
    const map = placing.map && restoreMatrix(placing.map, "the map");
    const centers = restoreMatrix(placing.centers, "the centres");
    const at = map === undefined ? centers : multiply(centers, map);
    const coordinates = coordinatesOf(map, d, x);
    scores = Array.from({ length: K }, (_, k) =>
      coordinates.map((z, r) => square(`${z} - ${number(at.data[k * at.cols + r])}`)).join(" + "),
    );
  } else if (placing.kind === "mixture") {
    scores = mixtureScores(placing.mixture, x);
  } else {
    throw inputError(
      `a clustering by ${model.method} places rows by the rows it knows, which SQL cannot say; ` +
        `models of kmeans, gmm and others whose clusters have centres can be written as SQL`,
      { code: "no-sql" },
    );
  }
  const s = (k: number): string => `kindred_s${k}`;
  const best = leastOf(scores.map((_, k) => s(k)));
  const choose = (value: string, except?: string): string =>
    `case ${scores.map((_, k) => `when ${except === undefined ? "" : `${except} <> ${k} and `}${s(k)} = ${value} then ${k}`).join(" ")} end`;
  const others = scores.map((_, k) => `case when kindred_c = ${k} then null else ${s(k)} end`);
  const distance = placing.kind === "centers" ? "sqrt(kindred_b)" : "kindred_b";
  const byHeart = placing.kind === "centers" ? (placing.exceptions?.rows.rows ?? 0) : 0;
  return [
    ...(byHeart > 0
      ? [`-- ${byHeart} rows that the model knows one by one go to the nearest centre here as all others do`]
      : []),
    `with kindred_features as (`,
    `  select t.*,\n${features.map((expression, f) => `    ${expression} as ${x(f)}`).join(",\n")}`,
    `  from ${table} as t`,
    `), kindred_scores as (`,
    `  select *,\n${scores.map((score, k) => `    ${score} as ${s(k)}`).join(",\n")}`,
    `  from kindred_features`,
    `), kindred_nearest as (`,
    `  select *, ${best} as kindred_b from kindred_scores`,
    `), kindred_first as (`,
    `  select *, ${choose("kindred_b")} as kindred_c from kindred_nearest`,
    ...(K < 2
      ? [`)`, `select kindred_first.*, kindred_c as cluster, ${distance} as distance, null as second`]
      : [
          `), kindred_second as (`,
          `  select *, ${leastOf(others)} as kindred_n from kindred_first`,
          `)`,
          `select kindred_second.*, kindred_c as cluster, ${distance} as distance, ${choose("kindred_n", "kindred_c")} as second`,
        ]),
    `from ${K < 2 ? "kindred_first" : "kindred_second"}`,
    "",
  ].join("\n");
}

function leastOf(values: readonly string[]): string {
  return values.length === 1 ? values[0] : `least(${values.join(", ")})`;
}

const square = (expression: string): string => `(${expression}) * (${expression})`;

function coordinatesOf(map: Matrix | undefined, d: number, x: (f: number) => string): string[] {
  if (map === undefined) return Array.from({ length: d }, (_, f) => x(f));
  return Array.from({ length: map.cols }, (_, r) =>
    linear(
      Array.from({ length: d }, (__, f) => map.data[f * map.cols + r]),
      x,
    ),
  );
}

/** ||W_k x - W_k mu_k||^2 + log |S_k| - 2 log pi_k, with W_k' W_k = S_k^-1. */
function mixtureScores(
  stored: Parameters<typeof loadGaussianMixture>[0],
  x: (f: number) => string,
): string[] {
  const mixture = loadGaussianMixture(stored);
  const { clusters: K, weights, covariance, covariances } = mixture;
  const { centers } = mixture;
  const d = centers.cols;
  const { logDeterminants } = precisions(covariance, covariances, K, d);
  return Array.from({ length: K }, (_, k) => {
    const W = whitening(covariance, covariances, k, d);
    const squares = Array.from({ length: d }, (__, r) => {
      const row = W.data.subarray(r * d, (r + 1) * d);
      const at = row.reduce((sum, w, f) => sum + w * centers.data[k * d + f], 0);
      return square(`${linear(Array.from(row), x)} - ${number(at)}`);
    });
    return `${squares.join(" + ")} + ${number(logDeterminants[k] - 2 * Math.log(weights[k]))}`;
  });
}

function whitening(kind: string, covariances: Covariances, k: number, d: number): Matrix {
  if (kind === "full" || kind === "tied") {
    return solveTriangular(cholesky(covariances[kind === "full" ? k : 0]).L, identity(d));
  }
  const [{ data }] = covariances;
  const W = matrix(d, d);
  for (let f = 0; f < d; f++)
    W.data[f * (d + 1)] = 1 / Math.sqrt(kind === "diagonal" ? data[k * d + f] : data[k]);
  return W;
}

function featureExpressions(space: Space, sql: Dialect): string[] {
  const { metric } = space;
  if (space.kind === "features") return underMetric(recordExpressions(space.record, sql), metric);
  const { scaling } = space;
  if (scaling.groups.length !== 1) {
    throw inputError("the model scales rows within groups, which SQL cannot say", { code: "no-sql" });
  }
  const [{ center, scale }] = scaling.groups;
  const scaled = scaling.kept.map((column, f) => {
    const cell = `cast(${sql.name(scaling.columns[column])} as ${sql.double})`;
    return scale[f] === 0 ? number(0) : `(${cell} - ${number(center[f])}) / ${number(scale[f])}`;
  });
  return underMetric(scaled, metric);
}

function underMetric(scaled: string[], metric: Space["metric"]): string[] {
  if (metric === undefined) return scaled;
  const { factor } = loadMahalanobis(metric);
  return Array.from({ length: factor.rows }, (_, r) =>
    linear(Array.from(factor.data.subarray(r * factor.cols, (r + 1) * factor.cols)), (f) => `(${scaled[f]})`),
  );
}

function recordExpressions({ parts, fill, scale }: FeatureRecord, sql: Dialect): string[] {
  if (scale === "unit") throw inputError("rows of unit length cannot be written as SQL", { code: "no-sql" });
  let first = 0;
  return parts.flatMap((part) => {
    const own = partExpressions(part, sql).map((expression, f) => {
      const mean = fill === undefined ? 0 : fill.mean[first + f];
      return `coalesce(${number(Math.sqrt(part.weight))} * (${expression}), ${number(mean)})`;
    });
    first += own.length;
    return own;
  });
}

function partExpressions({ column, encoding }: FeaturePart, sql: Dialect): string[] {
  const cell = sql.name(column);
  switch (encoding.form) {
    case "number":
      return [numberExpression(encoding, cell, column, sql)];
    case "copies": {
      const members = encoding.members.map(
        ({ column: name, sign, encoding: own }) =>
          `${sign} * (${numberExpression(own, sql.name(name), name, sql)})`,
      );
      const count = members.map((member) => `case when (${member}) is null then 0 else 1 end`).join(" + ");
      const sum = members.map((member) => `coalesce(${member}, 0)`).join(" + ");
      return [`((${sum}) / nullif(${count}, 0) - ${number(encoding.center)}) / ${number(encoding.spread)}`];
    }
    case "levels": {
      if (encoding.cells !== "one") throw unwritable(column, `a ${encoding.cells} of levels`);
      const { levels, pooled = [], offsets, spread } = encoding;
      const text = `cast(${cell} as varchar(1000))`;
      const last = levels.length - 1;
      const named = pooled.length === 0 ? levels : levels.slice(0, last);
      const known = [...named, ...pooled].map((level) => sql.text(level)).join(", ");
      return levels.map((level, f) => {
        const own = pooled.length > 0 && f === last ? pooled : [level];
        const is = own.map((one) => sql.text(one)).join(", ");
        return (
          `case when ${text} in (${is}) then ${number((1 - offsets[f]) / spread)} ` +
          `when ${text} in (${known}) then ${number(-offsets[f] / spread)} end`
        );
      });
    }
    case "mark": {
      const missing = encoding.of
        .map((name) => `case when ${sql.name(name)} is null then 1 else 0 end`)
        .join(" + ");
      return [
        `(case when 2 * (${missing}) > ${encoding.of.length} then 1 else 0 end - ${number(encoding.share)}) / ${number(encoding.spread)}`,
      ];
    }
    default:
      throw unwritable(column, encoding.form === "cyclic" ? "the part of a date" : `a ${encoding.form}`);
  }
}

function numberExpression(
  encoding: Extract<FeaturePart["encoding"], { form: "number" }>,
  cell: string,
  column: string,
  sql: Dialect,
): string {
  const {
    transform,
    shift = 0,
    floor = 0,
    unit = 1,
    clip,
    center,
    spread,
    levels,
    levelValues,
    lessMeanOf,
  } = encoding;
  let value = `cast(${cell} as ${sql.double})`;
  if (levels !== undefined && levelValues !== undefined) {
    const cases = levels.map((level, k) => `when ${sql.text(level)} then ${number(levelValues[k])}`);
    value = `case cast(${cell} as varchar(1000)) ${cases.join(" ")} end`;
  }
  if (lessMeanOf !== undefined) throw unwritable(column, "a rating less the mean of its battery");
  if (transform === "log") value = `ln(greatest(${value} + ${number(shift)}, ${number(floor)}))`;
  if (transform === "arcsinh") value = `asinh(${value} / ${number(unit)})`;
  if (clip !== undefined) {
    const { low, high, give } = clip;
    const l = number(low);
    const h = number(high);
    const g = number(give);
    value =
      `case when ${value} > ${h} then ${h} + ${g} * (1 - exp((${h} - ${value}) / ${g})) ` +
      `when ${value} < ${l} then ${l} - ${g} * (1 - exp((${value} - ${l}) / ${g})) else ${value} end`;
  }
  return `(${value} - ${number(center)}) / ${number(spread)}`;
}

function unwritable(column: string, what: string): Error {
  return inputError(
    `column "${column}" is used as ${what}, which SQL cannot say; leave it out of the clustering`,
    {
      code: "no-sql",
      column,
    },
  );
}

function linear(coefficients: readonly number[], x: (f: number) => string): string {
  const terms = coefficients.flatMap((c, f) => (c === 0 ? [] : [`${number(c)} * ${x(f)}`]));
  return terms.length === 0 ? number(0) : `(${terms.join(" + ")})`;
}

/** A double, digit for digit; the exponent keeps it from being taken for a decimal. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw numericError(`${value} cannot be written as SQL`);
  const written = value.toExponential();
  return value < 0 || Object.is(value, -0) ? `(${written})` : written;
}
