import type { Pair } from "kindred/data";
import type { FeatureScale, MissingCells } from "kindred/features";
import type { Edit, MethodChoice, OwnValue, Reading, Statement } from "../protocol.ts";

/**
 * Where the rows come from. A dropped file is known only by its name: after a reload it has to be dropped
 * again.
 */
export type Source =
  | { readonly kind: "named"; readonly name: string; readonly options: Readonly<Record<string, number>> }
  | { readonly kind: "dropped" | "served"; readonly name: string };

/** All choices of a person: undo restores them, and the address holds them. */
export interface Settings extends MethodChoice {
  readonly source?: Source;
  readonly reading: Reading;
  /** Columns switched off. */
  readonly off: readonly string[];
  readonly scale: FeatureScale;
  /** Whether columns are weighted by their relation to others, or equally. */
  readonly weights: "auto" | "equal";
  /** The treatment of rows with missing cells. */
  readonly missing: MissingCells;
  /** Manual changes to the clusters; they belong to one clustering. */
  readonly edits: readonly Edit[];
  /** Pairs that were skipped. */
  readonly skipped: readonly Pair[];
  /** Names of the clusters, by number; empty: as suggested. */
  readonly names: readonly string[];
  /**
   * The view: in the learned metric if there is one, the plain principal components, the neighbour layout, or
   * two columns.
   */
  readonly view: "learned" | "plain" | "layout" | "columns";
  /** The two columns. */
  readonly axes?: readonly [string, string];
  /** The colours of the clusters, where they follow those of an earlier result. */
  readonly slots?: readonly number[];
  /** The column that colours the points; absent: the clusters do. */
  readonly color?: string;
  /** On the clusterpath: the gamma that is shown. */
  readonly gamma?: number;
  /** Another clustering of the same rows, to compare with; "classes" for the known ones, or by a model file. */
  readonly pinned?: MethodChoice | "classes" | `${typeof MODEL}${string}`;
}

/** The beginning of a pinned model, before the name of its file. */
export const MODEL = "model ";

export const FRESH: Settings = {
  reading: { as: {} },
  off: [],
  scale: "auto",
  weights: "auto",
  missing: "fill",
  edits: [],
  method: "auto",
  clusters: undefined,
  seed: 0,
  own: {},
  same: [],
  different: [],
  statements: [],
  skipped: [],
  names: [],
  view: "learned",
};

const VIEWS = ["learned", "plain", "layout", "columns"] as const;
const MISSING = ["fill", "drop", "refuse"] as const;
export const SCALES = ["auto", "zscore", "minmax", "robust", "unit", "none"] as const;

/** The address after #, readable: `data=wine&method=ccml&k=3&same=1-4.2-9`. */
export function toHash(settings: Settings): string {
  const { source, reading, off, scale, weights, missing, edits, skipped, names, view, gamma, pinned } =
    settings;
  if (source === undefined) return "";
  const parts = new URLSearchParams();
  parts.set(source.kind === "named" ? "data" : source.kind, source.name);
  if (source.kind === "named") {
    for (const [name, value] of Object.entries(source.options)) parts.set(`data.${name}`, String(value));
  }
  if (reading.label !== undefined) parts.set("label", reading.label);
  for (const [name, kind] of Object.entries(reading.as)) parts.append("as", `${name}=${kind}`);
  for (const name of off) parts.append("off", name);
  if (scale !== FRESH.scale) parts.set("scale", scale);
  if (weights !== FRESH.weights) parts.set("weights", weights);
  if (missing !== FRESH.missing) parts.set("missing", missing);
  writeMethod(parts, "", settings);
  for (const edit of edits) parts.append("edit", editText(edit));
  if (skipped.length > 0) parts.set("skipped", pairsText(skipped));
  for (const name of names) parts.append("name", name);
  if (settings.slots !== undefined) parts.set("colors", settings.slots.join("."));
  if (view !== FRESH.view) parts.set("view", view);
  for (const name of settings.axes ?? []) parts.append("axis", name);
  if (settings.color !== undefined) parts.set("color", settings.color);
  if (gamma !== undefined) parts.set("gamma", String(gamma));
  if (typeof pinned === "string") parts.set("with", pinned);
  else if (pinned !== undefined) writeMethod(parts, "with.", pinned);
  return parts.toString();
}

/** The settings of an address; meaningless parts are left out, so a mistyped address still opens. */
export function fromHash(hash: string): Settings {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const label = parts.get("label");
  const gamma = Number(parts.get("gamma") ?? Number.NaN);
  const color = parts.get("color");
  const slots = parts.get("colors");
  const [x, y] = parts.getAll("axis");
  const beside = parts.get("with");
  const pinned: Settings["pinned"] =
    beside === "classes" || beside?.startsWith(MODEL) === true
      ? (beside as "classes")
      : parts.has("with.method")
        ? readMethod(parts, "with.")
        : undefined;
  return {
    ...FRESH,
    ...readMethod(parts, ""),
    source: readSource(parts),
    reading: {
      ...(label !== null && { label }),
      as: Object.fromEntries(parts.getAll("as").flatMap(columnKind)),
    },
    off: parts.getAll("off"),
    scale: oneOf(parts.get("scale"), SCALES, FRESH.scale),
    weights: oneOf(parts.get("weights"), ["auto", "equal"], FRESH.weights),
    missing: oneOf(parts.get("missing"), MISSING, FRESH.missing),
    edits: parts.getAll("edit").flatMap(readEdit),
    skipped: readPairs(parts.get("skipped")),
    names: parts.getAll("name"),
    view: oneOf(parts.get("view"), VIEWS, FRESH.view),
    ...(y !== undefined && { axes: [x, y] as const }),
    ...(slots !== null && /^\d\d?(\.\d\d?)*$/.test(slots) && { slots: slots.split(".").map(Number) }),
    ...(color !== null && { color }),
    ...(Number.isFinite(gamma) && { gamma }),
    ...(pinned !== undefined && { pinned }),
  };
}

function writeMethod(parts: URLSearchParams, prefix: string, choice: MethodChoice): void {
  parts.set(`${prefix}method`, choice.method);
  if (choice.clusters !== undefined) parts.set(`${prefix}k`, String(choice.clusters));
  if (choice.seed !== 0) parts.set(`${prefix}seed`, String(choice.seed));
  for (const [name, value] of Object.entries(choice.own)) parts.set(`${prefix}own.${name}`, String(value));
  if (choice.same.length > 0) parts.set(`${prefix}same`, pairsText(choice.same));
  if (choice.different.length > 0) parts.set(`${prefix}different`, pairsText(choice.different));
  for (const statement of choice.statements) parts.append(`${prefix}say`, statementText(statement));
}

function readMethod(parts: URLSearchParams, prefix: string): MethodChoice {
  const clusters = Number(parts.get(`${prefix}k`));
  const own: Record<string, OwnValue> = {};
  for (const [key, value] of parts) {
    const start = `${prefix}own.`;
    if (key.startsWith(start)) own[key.slice(start.length)] = valueOf(value);
  }
  return {
    method: parts.get(`${prefix}method`) ?? FRESH.method,
    ...(Number.isInteger(clusters) && clusters > 0 ? { clusters } : { clusters: undefined }),
    seed: Math.max(0, Math.trunc(Number(parts.get(`${prefix}seed`)) || 0)),
    own,
    same: readPairs(parts.get(`${prefix}same`)),
    different: readPairs(parts.get(`${prefix}different`)),
    statements: parts.getAll(`${prefix}say`).flatMap(readStatement),
  };
}

function readSource(parts: URLSearchParams): Source | undefined {
  for (const kind of ["dropped", "served"] as const) {
    const name = parts.get(kind);
    if (name !== null) return { kind, name };
  }
  const name = parts.get("data");
  if (name === null) return undefined;
  const options: Record<string, number> = {};
  for (const [key, value] of parts) {
    if (key.startsWith("data.") && Number.isFinite(Number(value))) options[key.slice(5)] = Number(value);
  }
  return { kind: "named", name, options };
}

function valueOf(text: string): OwnValue {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}

/** "zip=category" */
function columnKind(text: string): [string, string][] {
  const at = text.lastIndexOf("=");
  return at < 1 || at === text.length - 1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}

function pairsText(pairs: readonly Pair[]): string {
  return pairs.map(([i, j]) => `${i}-${j}`).join(".");
}

function readPairs(text: string | null): Pair[] {
  const pairs = [...(text ?? "").matchAll(/(\d+)-(\d+)/g)].map(([, i, j]) => [Number(i), Number(j)] as const);
  return pairs.filter((pair) => pair.every(Number.isSafeInteger));
}

/** "together:1-14.20", "apart:1-14/20.22" */
function statementText(said: Statement): string {
  const others = said.kind === "apart" ? `/${rangesText(said.others)}` : "";
  return `${said.kind}:${rangesText(said.rows)}${others}`;
}

function readStatement(text: string): Statement[] {
  const [, kind, first = "", second = ""] = /^(together|apart):([\d.-]+)(?:\/([\d.-]+))?$/.exec(text) ?? [];
  const [rows, others] = [readRanges(first), readRanges(second)];
  if (kind === "together" && rows.length > 1) return [{ kind, rows }];
  return kind === "apart" && rows.length > 0 && others.length > 0 ? [{ kind, rows, others }] : [];
}

/** Rising numbers, "1-14.20". */
function rangesText(rows: readonly number[]): string {
  const parts: string[] = [];
  for (let p = 0; p < rows.length;) {
    let q = p;
    while (q + 1 < rows.length && rows[q + 1] === rows[q] + 1) q++;
    parts.push(q === p ? String(rows[p]) : `${rows[p]}-${rows[q]}`);
    p = q + 1;
  }
  return parts.join(".");
}

/** Maximum number of rows of one statement: more means a mistyped address. */
const MOST_SAID = 100_000;

function readRanges(text: string): number[] {
  const rows = new Set<number>();
  let said = 0;
  for (const [, from, to = from] of text.matchAll(/(\d+)(?:-(\d+))?/g)) {
    const [first, last] = [Number(from), Number(to)];
    said += Math.max(0, last - first + 1);
    if (!Number.isSafeInteger(last) || said > MOST_SAID) return [];
    for (let row = first; row <= last; row++) rows.add(row);
  }
  return [...rows].sort((a, b) => a - b);
}

/** "merge:0.2", "split:1", "split:1.3" (into three) */
function editText(edit: Edit): string {
  if (edit.kind === "merge") return `merge:${edit.clusters.join(".")}`;
  return `split:${edit.cluster}${edit.into === undefined ? "" : `.${edit.into}`}`;
}

function readEdit(text: string): Edit[] {
  const [, kind, list = ""] = /^(merge|split):(\d+(?:\.\d+)*)$/.exec(text) ?? [];
  const [cluster, into, ...rest] = list.split(".").map(Number);
  if (kind === "merge" && into !== undefined) return [{ kind, clusters: [cluster, into, ...rest] }];
  if (kind === "split") return [{ kind, cluster, ...(into !== undefined && { into }) }];
  return [];
}

function oneOf<T extends string>(value: string | null, choices: readonly T[], fallback: T): T {
  return choices.find((choice) => choice === value) ?? fallback;
}
