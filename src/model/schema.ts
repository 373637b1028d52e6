import { inputError } from "../core/internal.ts";
import { requireScaling } from "../data/internal.ts";
import type { ModelFile } from "./clustering.ts";
import type { TableSpace } from "./space.ts";

/**
 * The shape of a model file, checked before it is used. The same rules are published as a JSON schema
 * (`kindred/model.schema.json`).
 */
export function checkedModel(parsed: unknown): ModelFile {
  const file = objectAt(parsed, "the model");
  if (file.kind !== "clustering") {
    throw damaged(`"kind" must be "clustering", got ${shown(file.kind)}`);
  }
  if (file.kindred !== 2) {
    throw inputError(
      `the model is of format ${shown(file.kindred)}, and this version reads format 2; make it again with: kindred cluster --model`,
      { code: "model-format" },
    );
  }
  const clusters = countAt(file.clusters, "clusters");
  const sizes = listAt(file.sizes, "sizes", clusters);
  sizes.forEach((size, k) => countAt(size, `sizes[${k}]`));
  listAt(file.names, "names", clusters).forEach((name, k) => textAt(name, `names[${k}]`));
  textAt(file.method, "method");
  listAt(file.labels, "labels").forEach((label, i) => labelAt(label, clusters, `labels[${i}]`));
  checkSpace(file);
  placingAt(file.placing, clusters);
  listAt(file.relevance, "relevance").forEach((entry, r) => {
    const { column, share } = objectAt(entry, `relevance[${r}]`);
    textAt(column, `relevance[${r}].column`);
    numberAt(share, `relevance[${r}].share`);
  });
  objectAt(file.proof, "proof");
  objectAt(file.details, "details");
  listAt(file.notes, "notes");
  listAt(file.profiles, "profiles", clusters);
  listAt(file.representatives, "representatives", clusters);
  return file as unknown as ModelFile;
}

/** The columns and the space of a model, for a clustering or anything else learned from a table. */
export function checkSpace(file: Readonly<Record<string, unknown>>): TableSpace {
  listAt(file.columns, "columns").forEach((column, c) => {
    const { name, kind, reading } = objectAt(column, `columns[${c}]`);
    textAt(name, `columns[${c}].name`);
    if (!COLUMN_KINDS.has(kind))
      throw damaged(`"columns[${c}].kind" is ${shown(kind)}, which is not a kind of column`);
    const { levels } = objectAt(reading, `columns[${c}].reading`);
    if (levels !== undefined) {
      listAt(levels, `columns[${c}].reading.levels`).forEach((level, l) =>
        textAt(level, `columns[${c}].reading.levels[${l}]`),
      );
    }
  });
  const space = objectAt(file.space, "space");
  textAt(space.kind, "space.kind");
  if (space.kind === "features") recordAt(space.record);
  if (space.kind === "scaling") requireScaling(space.scaling);
  return file as unknown as TableSpace;
}

const COLUMN_KINDS: ReadonlySet<unknown> = new Set([
  "id",
  "constant",
  "empty",
  "number",
  "ordered",
  "category",
  "date",
  "text",
  "vector",
]);

function placingAt(value: unknown, clusters: number): void {
  const placing = objectAt(value, "placing");
  textAt(placing.kind, "placing.kind");
  const means = matrixAt(placing.means, "placing.means");
  if (means.rows !== clusters)
    throw damaged(`"placing.means" has ${means.rows} rows for ${clusters} clusters`);
  if (placing.kind === "centers") {
    const centers = matrixAt(placing.centers, "placing.centers");
    if (centers.rows !== clusters || centers.cols !== means.cols) {
      throw damaged(
        `"placing.centers" is ${centers.rows} x ${centers.cols}, not ${clusters} x ${means.cols}`,
      );
    }
  }
  if (placing.kind === "mixed") mixedAt(placing, clusters, means.cols);
  if (placing.kind === "rows") knownRowsAt(placing, "placing", clusters, means.cols);
  if (placing.exceptions !== undefined)
    knownRowsAt(
      objectAt(placing.exceptions, "placing.exceptions"),
      "placing.exceptions",
      clusters,
      means.cols,
    );
  if (placing.neighbors !== undefined && !(Number(placing.neighbors) >= 1))
    throw damaged(`"placing.neighbors" is not a number of at least 1`);
  if (placing.map !== undefined) {
    const map = matrixAt(placing.map, "placing.map");
    if (map.rows !== means.cols) throw damaged(`"placing.map" has ${map.rows} rows, not ${means.cols}`);
  }
}

function mixedAt(placing: Readonly<Record<string, unknown>>, clusters: number, cols: number): void {
  const place = (value: unknown, at: string): void => {
    if (countAt(value, at) >= cols) throw damaged(`"${at}" is no feature`);
  };
  numbersAt(placing.bias, "placing.bias", clusters);
  const features = listAt(placing.features, "placing.features");
  features.forEach((feature, f) => place(feature, `placing.features[${f}]`));
  const weights = matrixAt(placing.weights, "placing.weights");
  if (weights.rows !== features.length || weights.cols !== clusters) {
    throw damaged(
      `"placing.weights" is ${weights.rows} x ${weights.cols}, not ${features.length} x ${clusters}`,
    );
  }
  listAt(placing.levels, "placing.levels").forEach((entry, v) => {
    const at = `placing.levels[${v}]`;
    const { rule: given, logs: stored } = objectAt(entry, at);
    const rule = objectAt(given, `${at}.rule`);
    const logs = matrixAt(stored, `${at}.logs`);
    let count = 2;
    if (rule.kind === "indicators") {
      count = countAt(rule.count, `${at}.rule.count`);
      place(countAt(rule.first, `${at}.rule.first`) + Math.max(0, count - 1), `${at}.rule.count`);
    } else {
      place(rule.feature, `${at}.rule.feature`);
      if (rule.kind === "values") {
        count = listAt(rule.at, `${at}.rule.at`).length;
        numbersAt(rule.at, `${at}.rule.at`, count);
        numberAt(rule.tolerance, `${at}.rule.tolerance`);
      } else if (rule.kind !== "sign") throw damaged(`"${at}.rule.kind" is ${shown(rule.kind)}`);
    }
    if (logs.rows !== clusters || logs.cols !== count) {
      throw damaged(`"${at}.logs" is ${logs.rows} x ${logs.cols}, not ${clusters} x ${count}`);
    }
  });
}

function recordAt(value: unknown): void {
  const record = objectAt(value, "space.record");
  if (record.version !== 1) throw damaged(`"space.record.version" must be 1, got ${shown(record.version)}`);
  listAt(record.parts, "space.record.parts").forEach((part, p) => {
    const at = `space.record.parts[${p}]`;
    const own = objectAt(part, at);
    const { column, weight, encoding } = own;
    textAt(column, `${at}.column`);
    const names = textsAt(own.names, `${at}.names`);
    if (numberAt(weight, `${at}.weight`) < 0) throw damaged(`"${at}.weight" is below 0`);
    textAt(own.kind, `${at}.kind`);
    textAt(own.label, `${at}.label`);
    const width = encodingAt(encoding, `${at}.encoding`);
    if (width !== names.length) throw damaged(`"${at}" has ${names.length} names for ${width} features`);
  });
  for (const [name, values] of Object.entries(CHOICES)) {
    if (!values.includes(record[name] as string))
      throw damaged(`"space.record.${name}" is ${shown(record[name])}`);
  }
  if (record.fill !== undefined) {
    const { mean, loadings, noise } = objectAt(record.fill, "space.record.fill");
    const { rows } = matrixAt(loadings, "space.record.fill.loadings");
    numbersAt(mean, "space.record.fill.mean", rows);
    numberAt(noise, "space.record.fill.noise");
  }
}

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  scale: ["auto", "zscore", "minmax", "robust", "unit", "none"],
  missing: ["fill", "drop", "refuse"],
};

/** The number of features of an encoding. */
function encodingAt(value: unknown, at: string): number {
  const encoding = objectAt(value, at);
  finiteIn(encoding, at);
  switch (encoding.form) {
    case "number":
      return numberEncodingAt(encoding, at);
    case "copies":
      listAt(encoding.members, `${at}.members`).forEach((member, m) => {
        const { column, sign, encoding: own } = objectAt(member, `${at}.members[${m}]`);
        textAt(column, `${at}.members[${m}].column`);
        numberAt(sign, `${at}.members[${m}].sign`);
        numberEncodingAt(objectAt(own, `${at}.members[${m}].encoding`), `${at}.members[${m}].encoding`);
      });
      numberAt(encoding.center, `${at}.center`);
      spreadAt(encoding.spread, `${at}.spread`);
      return 1;
    case "levels": {
      const levels = textsAt(encoding.levels, `${at}.levels`);
      if (!["one", "path", "list"].includes(encoding.cells as string))
        throw damaged(`"${at}.cells" is ${shown(encoding.cells)}`);
      if (encoding.separator !== undefined) textAt(encoding.separator, `${at}.separator`);
      if (encoding.pooled !== undefined) textsAt(encoding.pooled, `${at}.pooled`);
      if (encoding.depths !== undefined) {
        const depths = listAt(encoding.depths, `${at}.depths`).map((count, d) =>
          countAt(count, `${at}.depths[${d}]`),
        );
        if (depths.reduce((sum, count) => sum + count, 0) !== levels.length) {
          throw damaged(`"${at}.depths" do not add to the ${levels.length} levels`);
        }
      }
      numbersAt(encoding.offsets, `${at}.offsets`, levels.length);
      spreadAt(encoding.spread, `${at}.spread`);
      return levels.length;
    }
    case "cyclic":
      if (!["day", "week", "year"].includes(encoding.period as string))
        throw damaged(`"${at}.period" is ${shown(encoding.period)}`);
      numbersAt(encoding.center, `${at}.center`, 2);
      spreadAt(encoding.spread, `${at}.spread`);
      return 2;
    case "vector": {
      const mean = numbersAt(encoding.mean, `${at}.mean`);
      if (typeof encoding.unit !== "boolean") throw damaged(`"${at}.unit" must be true or false`);
      spreadAt(encoding.spread, `${at}.spread`);
      if (encoding.components === undefined) return mean.length;
      const { rows, cols } = matrixAt(encoding.components, `${at}.components`);
      if (rows !== mean.length)
        throw damaged(`"${at}.components" has ${rows} rows for ${mean.length} dimensions`);
      return cols;
    }
    case "text": {
      const buckets = countAt(encoding.buckets, `${at}.buckets`);
      const used = numbersAt(encoding.used, `${at}.used`);
      used.forEach((bucket, u) => {
        if (countAt(bucket, `${at}.used[${u}]`) >= buckets) throw damaged(`"${at}.used[${u}]" is no bucket`);
      });
      numbersAt(encoding.idf, `${at}.idf`, used.length);
      numbersAt(encoding.mean, `${at}.mean`, used.length);
      const { rows, cols } = matrixAt(encoding.components, `${at}.components`);
      if (rows !== used.length)
        throw damaged(`"${at}.components" has ${rows} rows for ${used.length} buckets`);
      numbersAt(encoding.center, `${at}.center`, cols);
      spreadAt(encoding.spread, `${at}.spread`);
      return cols;
    }
    case "mark":
      if (encoding.where !== undefined && encoding.where !== "zero")
        throw damaged(`"${at}.where" is ${shown(encoding.where)}`);
      textsAt(encoding.of, `${at}.of`);
      numberAt(encoding.share, `${at}.share`);
      spreadAt(encoding.spread, `${at}.spread`);
      return 1;
    default:
      throw damaged(`"${at}.form" is ${shown(encoding.form)}, which this version does not know`);
  }
}

function numberEncodingAt(encoding: Record<string, unknown>, at: string): number {
  if (!["none", "power", "log", "arcsinh"].includes(encoding.transform as string)) {
    throw damaged(`"${at}.transform" is ${shown(encoding.transform)}`);
  }
  for (const name of ["shift", "floor", "unit", "exponent"]) {
    if (encoding[name] !== undefined) numberAt(encoding[name], `${at}.${name}`);
  }
  if (encoding.unit === 0) throw damaged(`"${at}.unit" is 0`);
  if (encoding.clip !== undefined) {
    const { low, high, give } = objectAt(encoding.clip, `${at}.clip`);
    numberAt(low, `${at}.clip.low`);
    numberAt(high, `${at}.clip.high`);
    if (give !== undefined) spreadAt(give, `${at}.clip.give`);
  }
  numberAt(encoding.center, `${at}.center`);
  spreadAt(encoding.spread, `${at}.spread`);
  if (encoding.levels !== undefined) {
    const levels = textsAt(encoding.levels, `${at}.levels`);
    numbersAt(encoding.levelValues, `${at}.levelValues`, levels.length);
  }
  if (encoding.lessMeanOf !== undefined) textsAt(encoding.lessMeanOf, `${at}.lessMeanOf`);
  if (encoding.steps !== undefined) numbersAt(encoding.steps, `${at}.steps`);
  if (encoding.since !== undefined) textAt(encoding.since, `${at}.since`);
  if (encoding.amount !== undefined && encoding.amount !== true) {
    throw damaged(`"${at}.amount" is ${shown(encoding.amount)}`);
  }
  return 1;
}

function spreadAt(value: unknown, at: string): void {
  if (!(numberAt(value, at) > 0)) throw damaged(`"${at}" must be above 0`);
}

function textsAt(value: unknown, at: string): string[] {
  return listAt(value, at).map((text, i) => textAt(text, `${at}[${i}]`));
}

function numbersAt(value: unknown, at: string, length?: number): number[] {
  return listAt(value, at, length).map((number, i) => numberAt(number, `${at}[${i}]`));
}

/** Every number within is finite, however deep. */
function finiteIn(value: unknown, at: string): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw damaged(`"${at}" is not a finite number`);
  if (value === null) throw damaged(`"${at}" is null`);
  if (typeof value === "object")
    for (const [name, part] of Object.entries(value as object)) finiteIn(part, `${at}.${name}`);
}

function objectAt(value: unknown, at: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw damaged(`"${at}" must be an object, got ${shown(value)}`);
}

function listAt(value: unknown, at: string, length?: number): unknown[] {
  if (!Array.isArray(value)) throw damaged(`"${at}" must be a list, got ${shown(value)}`);
  if (length !== undefined && value.length !== length) {
    throw damaged(`"${at}" has ${value.length} entries where ${length} belong`);
  }
  return value;
}

function textAt(value: unknown, at: string): string {
  if (typeof value === "string") return value;
  throw damaged(`"${at}" must be a text, got ${shown(value)}`);
}

function numberAt(value: unknown, at: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw damaged(`"${at}" must be a finite number, got ${shown(value)}`);
}

function countAt(value: unknown, at: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw damaged(`"${at}" must be a whole number from 0 on, got ${shown(value)}`);
}

function labelAt(value: unknown, clusters: number, at: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= -1 && (value as number) < clusters)
    return value as number;
  throw damaged(`"${at}" must be a cluster (0 to ${clusters - 1}) or -1, got ${shown(value)}`);
}

function matrixAt(value: unknown, at: string): { rows: number; cols: number } {
  const { rows, cols, data } = objectAt(value, at);
  const n = countAt(rows, `${at}.rows`);
  const d = countAt(cols, `${at}.cols`);
  listAt(data, `${at}.data`, n * d).forEach((number, p) => numberAt(number, `${at}.data[${p}]`));
  return { rows: n, cols: d };
}

function damaged(what: string): Error {
  return inputError(`the model is damaged: ${what}`, { code: "model-damaged" });
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** Rows and their clusters. */
function knownRowsAt(
  value: Readonly<Record<string, unknown>>,
  at: string,
  clusters: number,
  cols: number,
): void {
  const rows = matrixAt(value.rows, `${at}.rows`);
  if (rows.cols !== cols) throw damaged(`"${at}.rows" has ${rows.cols} columns, not ${cols}`);
  listAt(value.labels, `${at}.labels`, rows.rows).forEach((label, i) => {
    if (labelAt(label, clusters, `${at}.labels[${i}]`) < 0) throw damaged(`"${at}.labels[${i}]" is below 0`);
  });
}
