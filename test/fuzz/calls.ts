import { readFileSync } from "node:fs";
import * as classify from "../../src/classify/index.ts";
import * as cluster from "../../src/cluster/index.ts";
import * as convex from "../../src/recipes/index.ts";
import * as data from "../../src/data/index.ts";
import * as embed from "../../src/embed/index.ts";
import * as engine from "../../src/engine/index.ts";
import * as features from "../../src/features/index.ts";
import * as graph from "../../src/graph/index.ts";
import * as hints from "../../src/hints/index.ts";
import * as index from "../../src/index.ts";
import * as judge from "../../src/judge/index.ts";
import * as matrices from "../../src/matrix/index.ts";
import * as method from "../../src/method/index.ts";
import * as metric from "../../src/metric/index.ts";
import * as model from "../../src/model/index.ts";
import * as optimize from "../../src/optimize/index.ts";
import * as place from "../../src/place/index.ts";
import * as report from "../../src/report/index.ts";
import * as rows from "../../src/rows/index.ts";
import * as run from "../../src/run/index.ts";
import * as scale from "../../src/scale/index.ts";
import * as score from "../../src/score/index.ts";
import * as select from "../../src/select/index.ts";
import { dice, fault, type Dice, type Outcome } from "./dice.ts";
import { nastyLabels, nastyPairs, nastyTable } from "./tables.ts";

/*
 * Calls of every exported function by its signature, as docs/reference/api.md prints it: arguments of the right type with odd
 * content, options by the names that the function itself tells, and arguments of a wrong type. A call must end, with an answer
 * or with an error in words.
 */
const { matrix, takeRows, toSparse } = matrices;
const ROOMS: Readonly<Record<string, object>> = {
  classify,
  cluster,
  convex,
  data,
  embed,
  engine,
  features,
  graph,
  hints,
  judge,
  matrix: matrices,
  method,
  metric,
  model,
  optimize,
  place,
  report,
  rows,
  run,
  scale,
  score,
  select,
};

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

interface Called {
  readonly room: string;
  /** Wrong values are only given to what programs rely on; the rest serves the command and the explorer. */
  readonly isStable: boolean;
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

export const CALLED = readCalled(readFileSync("docs/reference/api.md", "utf8"));

function readCalled(page: string): Called[] {
  const found: Called[] = [];
  for (const part of page.split("\n## kindred/").slice(1)) {
    const room = /^\w+/.exec(part)![0];
    if (!(room in ROOMS)) continue;
    for (const [, name, rest] of part.matchAll(/^- \[`(?:\* )?(\w+)(.*?)`\]\(/gm))
      found.push({ room, isStable: part.includes("*Stable.*"), name, parameters: parametersOf(rest) });
  }
  return found;
}

/** "<T>(a: A, b: B = {}): C" as a list of parameters. */
function parametersOf(signature: string): Parameter[] {
  const parts = [""];
  let depth = 0;
  let isGeneric = signature.startsWith("<");
  for (let p = 0; p < signature.length; p++) {
    const mark = signature[p];
    if ("(<[{".includes(mark)) depth++;
    else if (")]}".includes(mark) || (mark === ">" && signature[p - 1] !== "=")) depth--;
    if (depth === 0 && isGeneric) isGeneric = false;
    else if (depth === 0) break;
    else if (depth === 1 && mark === "," && !isGeneric) parts.push("");
    else if (!isGeneric && !(depth === 1 && mark === "(" && parts.length === 1 && parts[0] === ""))
      parts[parts.length - 1] += mark;
  }
  return parts
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text, at) => {
      const [, own, isAsked, type, usual] = /^(\w+|[{[].*?[}\]])(\??)(?:: (.*?))?( = .*)?$/.exec(text) ?? [];
      return {
        name: /^\w+$/.test(own ?? "") ? own : `argument ${at}`,
        type: type ?? "unknown",
        optional: isAsked === "?" || usual !== undefined,
      };
    });
}

/** Calls that act on more than their result (they connect, or change what other cases see), and the tag of templates. */
const ACTING = new Set([
  "spark",
  "setThreads",
  "startThreads",
  "stopThreads",
  "useEngine",
  "loadKernel",
  "parallelKernel",
  "html",
]);

/** Names of options, as the error about an unknown one lists them. */
const optionNames = new Map<string, readonly string[]>();

type Unknown = (...given: unknown[]) => unknown;

/** One call of one function. */
export async function callCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  const roll = dice(seed);
  const others = await samples();
  const chosen = CALLED.filter((one) => isTried(one, others));
  const { room, name, parameters, isStable } = chosen[seed % chosen.length];
  const called = (ROOMS[room] as Readonly<Record<string, Unknown>>)[name];
  const { X } = nastyTable(roll);
  const isPublic = isStable || name in index;
  const plain = isPublic ? parameters.filter(({ name: own, type }) => isPlain(type) && !WORDS.has(own)) : [];
  const wrongOne = roll.chance(0.4) ? plain[roll.below(plain.length + 1)] : undefined;
  const given = parameters.map((parameter, at): unknown => {
    const { type, optional } = parameter;
    if (parameter === wrongOne) return roll.pick(type === "number" ? WRONG_COUNT : WRONG);
    if (optional && roll.chance(0.3)) return undefined;
    return (
      valueOf(type, X, roll, others) ?? optionsFor(`${room}.${name}`, called, at, parameters, X, roll, others)
    );
  });
  const tried = `${room}.${name}(${given.map(shown).join(", ")})`;
  announce?.(tried);
  try {
    const answer = await called(...given);
    if (isStream(answer)) for await (const _ of answer) break;
    return { tried };
  } catch (error) {
    return { tried, wrong: fault(error) };
  }
}

/** Types of which JavaScript callers give anything; the values of all others are made by the library. */
function isPlain(type: string): boolean {
  return (
    /^(unknown|number|boolean|string|Rows|M|DataName|Source|Labeling|Values|ScaleKind|Matrix|MatrixLike|Partial<\w+>)\b/.test(
      type,
    ) ||
    /^(ArrayLike|readonly Triplet|\w*Array$)/.test(type) ||
    type.endsWith("Options")
  );
}

/** Functions of which every argument can be made; the others take what streams, engines and printers hand on. */
function isTried({ name, parameters }: Called, others: Samples): boolean {
  return (
    !ACTING.has(name) &&
    parameters.every(
      ({ type, optional }) => optional || isPlain(type) || type in others || type.includes("=>"),
    )
  );
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { next?: unknown }).next === "function"
  );
}

const WRONG: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  0.5,
  1e9,
  2 ** 53,
  Number.NaN,
  Infinity,
  "",
  "x",
  true,
  [],
  [1],
  [[]],
  {},
  { length: 2 ** 32 - 1 },
  { rows: 1e9, cols: 1e9, data: [] },
  new Float64Array(3),
  7n,
  Symbol("s"),
  () => 1,
  new Date(0),
  new Map(),
];

/** As an argument that counts: 1e9 is a large task, and a bigint or a symbol fails in the first sum, by a word of the engine. */
const WRONG_COUNT = WRONG.filter((one) => one !== 1e9 && typeof one !== "bigint" && typeof one !== "symbol");
/** Parameters that only begin a message. */
const WORDS = new Set(["who", "name", "method", "called", "source"]);

function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ||
    typeof part === "symbol" ||
    (typeof part === "number" && !Number.isFinite(part))
      ? String(part)
      : ArrayBuffer.isView(part)
        ? Array.from(part as Float64Array)
        : part,
  );
  return text === undefined ? String(value) : text.length > 300 ? `${text.slice(0, 300)}...` : text;
}

/** A value of the type, with odd content; undefined: the type is one of options. */
function valueOf(type: string, X: matrices.Matrix, roll: Dice, others: Samples): unknown {
  const n = X.rows;
  switch (type) {
    case "MatrixLike":
    case "Rows":
    case "Rows | AsyncRows":
      return roll.pick([X, X, matrices.toRows(X), { data: X.data, shape: [n, X.cols] }]);
    case "Matrix":
    case "M":
      return roll.pick([X, X, X, matrix(n, n), matrix(X.cols, n), takeRows(X, [0])]);
    case "Matrix | Sparse":
    case "MatrixLike | Sparse":
    case "Matrix | Sparse | Operator":
    case "Edges | Sparse | Matrix":
      return roll.pick([X, X, toSparse(X)]);
    case "Sparse":
      return toSparse(X);
    case "Labeling":
    case "ArrayLike<Label>":
    case "ArrayLike<string | number>":
    case "Values":
      return roll.pick([
        nastyLabels(roll, n),
        Int32Array.from({ length: n }, () => roll.below(3) - 1),
        ["a"],
      ]);
    case "ArrayLike<number>":
    case "Float64Array":
      return Float64Array.from({ length: roll.pick([n, n, X.cols, 0]) }, () => roll.below(4) / 2);
    case "Int32Array":
      return Int32Array.from({ length: n }, () => roll.below(n));
    case "number":
      return roll.pick([0, 1, 2, n, n + 1, -1, 0.5, 2 ** 53, Number.NaN]);
    case "string":
    case "DataName":
    case "Source":
      return roll.pick(["", "iris", "a b", "zscore", "x".repeat(50)]);
    case "readonly string[]":
      return Array.from({ length: X.cols }, (_, f) => `c${roll.chance(0.1) ? 0 : f}`);
    case "boolean":
      return roll.chance(0.5);
    case "ScaleKind":
      return roll.pick(["zscore", "none", "unit", "minmax", "robust"]);
    case "readonly Triplet[]":
      return nastyPairs(roll, n).map(([a, b]) => [a, b, roll.below(n)]);
    case "Partial<Constraints>":
      return { mustLink: nastyPairs(roll, n), cannotLink: nastyPairs(roll, n) };
    case "Partial<Hints>":
      return { pairs: nastyPairs(roll, n).map(([a, b]) => ({ a, b, same: roll.chance(0.5) })) };
    case "FitClassifier":
      return (Y: matrices.Matrix, y: readonly string[]) => classify.kNearestNeighbors(Y, y, { neighbors: 1 });
    default:
      if (type.includes("=> Float64Array")) return () => new Float64Array(64);
      if (type.includes("=>") || type.startsWith("(")) return () => roll.pick([1, 0, Number.NaN, undefined]);
      return others[type];
  }
}

/** Options by the names that the function tells when it is asked for one that it does not have. */
function optionsFor(
  key: string,
  called: Unknown,
  at: number,
  parameters: readonly Parameter[],
  X: matrices.Matrix,
  roll: Dice,
  others: Samples,
): unknown {
  if (!optionNames.has(key)) {
    const plain = matrices.fromRows([[1, 2], [3, 5], [8, 1], [9, 2]]); // prettier-ignore
    const calm = dice(1);
    const asked = parameters.map(({ type }, p) =>
      p === at ? { nonsense: 1 } : valueOf(type, plain, calm, others),
    );
    let told = "";
    try {
      const answer = called(...asked);
      if (answer instanceof Promise) answer.catch(() => {});
      if (isStream(answer)) void answer;
    } catch (error) {
      told = (error as Error).message;
    }
    const names = /the options are (.*)$/.exec(told)?.[1].split(", ") ?? [];
    optionNames.set(key, names);
  }
  const options: Record<string, unknown> = {};
  for (const name of optionNames.get(key)!) {
    const needed = /^(clusters|dims|count|mustLink|cannotLink|gamma|cut|size|gammas|bounds)$/.test(name);
    if (name === "signal" || name === "onProgress" || !roll.chance(needed ? 0.9 : 0.2)) continue;
    options[name] = needed && roll.chance(0.8) ? usual(name, X, roll) : roll.pick([...WRONG, ...USUAL]);
  }
  if (roll.chance(0.03)) options.nonsense = 1;
  return options;
}

const USUAL: readonly unknown[] = [1, 1, 2, 3, 0.1, 0.5, 0, true, false, "full", "l2", "euclidean", "auto"];

function usual(name: string, X: matrices.Matrix, roll: Dice): unknown {
  if (name.endsWith("Link")) return nastyPairs(roll, X.rows);
  if (name === "gammas") return [0.1, 1];
  if (name === "bounds") return [1, 2];
  return roll.pick([1, 2, 3]);
}

type Samples = Readonly<Record<string, unknown>>;
let made: Promise<Samples> | undefined;

/** Values of types that the library itself makes. */
function samples(): Promise<Samples> {
  return (made ??= makeSamples());
}

async function makeSamples(): Promise<Samples> {
  const numbers = Array.from({ length: 24 }, (_, i) => [(i % 3) * 9 + Math.sin(i), Math.cos(3 * i), i % 4]);
  const X = matrices.fromRows(numbers);
  const y = numbers.map((_, i) => `c${i % 3}`);
  const objects = numbers.map(([a, b, c], i) => ({
    a,
    b,
    kind: "xyz"[c % 3],
    when: new Date(86_400_000 * i),
  }));
  const table = run.asTable(objects);
  const found = await run.cluster(objects, { method: "kmeans", clusters: 3 });
  const record = features.learnFeatures(table).record;
  const moments = metric.classMoments(X, y);
  const learned = metric.lda(X, y);
  const edges = graph.edgeList(4, [[0, 1], [1, 2], [2, 3]]); // prettier-ignore
  const tree = cluster.agglomerative(X, { clusters: 3, linkage: "ward" });
  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  return {
    Table: table,
    'Pick<Table, "rows" | "columns">': table,
    Column: table.columns[0],
    "readonly ColumnRecord[]": table.columns.map(data.columnRecord),
    Clustering: found,
    ClusteringData: json(found),
    unknown: json(found),
    FeatureRecord: record,
    'Pick<FeatureRecord, "parts">': record,
    ClassMoments: moments,
    "readonly ClassMoments[]": [moments],
    Mahalanobis: learned,
    AnyMetric: learned,
    MahalanobisData: json(learned),
    AnyMetricData: json(learned),
    KernelFunction: metric.kernelFunction(X, { kernel: "gaussian" }),
    Edges: edges,
    EdgeList: edges,
    Dendrogram: tree.tree,
    Scaling: data.scale(X).scaling,
    GaussianMixtureData: json(cluster.gaussianMixture(X, { clusters: 3 }).model()),
    DensityModelData: json(cluster.hdbscan(X).model()),
    PcaData: json(embed.pca(X, { dims: 2 }).model()),
  };
}
