import type { Pair } from "kindred/data";
import type { FeatureScale } from "kindred/features";
import type { MethodChoice, OwnValue, Reading } from "../protocol.ts";

/** Where the rows come from. A dropped file is known by its name only: after a reload it has to be dropped again. */
export type Source =
  | { readonly kind: "named"; readonly name: string; readonly options: Readonly<Record<string, number>> }
  | { readonly kind: "dropped" | "served"; readonly name: string };

/** Everything that a person chose: what undo goes back to, and what the address holds. */
export interface Settings extends MethodChoice {
  readonly source?: Source;
  readonly reading: Reading;
  /** Columns switched off. */
  readonly off: readonly string[];
  readonly scale: FeatureScale;
  /** Whether columns count by what they tell about others, or all the same. */
  readonly weights: "auto" | "equal";
  /** Pairs that were asked about and could not be judged. */
  readonly skipped: readonly Pair[];
  /** What people call the clusters, by their numbers; empty: as suggested. */
  readonly names: readonly string[];
  /** Where to look from: in the learned metric where there is one, or at the plain principal components. */
  readonly view: "learned" | "plain";
  /** On the clusterpath: the gamma that is shown. */
  readonly gamma?: number;
  /** Another clustering of the same rows, to compare with; "classes" for the known ones. */
  readonly pinned?: MethodChoice | "classes";
}

export const FRESH: Settings = {
  reading: { as: {} },
  off: [],
  scale: "auto",
  weights: "auto",
  method: "auto",
  clusters: undefined,
  seed: 0,
  own: {},
  same: [],
  different: [],
  skipped: [],
  names: [],
  view: "learned",
};

export const SCALES = ["auto", "zscore", "minmax", "robust", "unit", "none"] as const;

/** The address after #, readable: `data=wine&method=ccml&k=3&same=1-4.2-9`. */
export function toHash(settings: Settings): string {
  const { source, reading, off, scale, weights, skipped, names, view, gamma, pinned } = settings;
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
  writeMethod(parts, "", settings);
  if (skipped.length > 0) parts.set("skipped", pairsText(skipped));
  for (const name of names) parts.append("name", name);
  if (view !== FRESH.view) parts.set("view", view);
  if (gamma !== undefined) parts.set("gamma", String(gamma));
  if (pinned === "classes") parts.set("with", "classes");
  else if (pinned !== undefined) writeMethod(parts, "with.", pinned);
  return parts.toString();
}

/** What an address says; parts that make no sense are left out, so that a mistyped address still opens. */
export function fromHash(hash: string): Settings {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const label = parts.get("label");
  const gamma = Number(parts.get("gamma") ?? Number.NaN);
  const pinned: Settings["pinned"] =
    parts.get("with") === "classes"
      ? "classes"
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
    skipped: readPairs(parts.get("skipped")),
    names: parts.getAll("name"),
    view: oneOf(parts.get("view"), ["learned", "plain"], FRESH.view),
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
  return [...(text ?? "").matchAll(/(\d+)-(\d+)/g)].map(([, i, j]) => [Number(i), Number(j)] as const);
}

function oneOf<T extends string>(value: string | null, choices: readonly T[], fallback: T): T {
  return choices.find((choice) => choice === value) ?? fallback;
}
