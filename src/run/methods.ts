import { knownNames, option, optionError } from "../core/internal.ts";
import { clusterings, type ClusteringMethod } from "../method/index.ts";
import { auto } from "./auto.ts";
import { hinted } from "./hinted.ts";
import { mixed } from "./mixed.ts";

/** Every clustering method with a name: the default choice, the method for hints, and all single methods. */
export const methods: readonly ClusteringMethod[] = [auto, hinted, mixed, ...clusterings];

/** Other names of methods. */
export const ALIASES: Readonly<Record<string, string>> = { convex: "cc" };

export function methodNamed(name: string): ClusteringMethod {
  const own = ALIASES[name] ?? name;
  const method = methods.find((known) => known.name === own);
  if (method !== undefined) return method;
  const names = methods.map((known) => known.name);
  throw optionError(`there is no method "${name}"; ${knownNames(name, names, "methods")}`, {
    code: "unknown-method",
    option: "method",
  });
}

/** What is known of some rows, in any form. */
export interface Knowledge {
  readonly hints?: unknown;
  readonly mustLink?: unknown;
  readonly cannotLink?: unknown;
  readonly labels?: unknown;
  readonly known?: unknown;
}

/** The method of a request that names none: with knowledge about rows the one that learns from it. */
export function defaultMethod(request: Knowledge): string {
  return knowsRows(request) ? hinted.name : auto.name;
}

/** Whether something is known of some rows; lists without pairs say nothing. */
export function knowsRows({ hints, mustLink, cannotLink, labels, known }: Knowledge): boolean {
  const says = (pairs: unknown): boolean =>
    pairs !== undefined && !(Array.isArray(pairs) && pairs.length === 0);
  return says(mustLink) || says(cannotLink) || (hints ?? labels ?? known) !== undefined;
}

/** Refuses a request that lacks what its method needs, or that has what its method does not take. */
export function requireNeeds(
  { name, needs }: ClusteringMethod,
  request: Knowledge & { readonly clusters?: number },
  labels: string = `${option("labels")}, the known labels of some rows`,
): void {
  const able = (need: "pairs" | "labels"): string =>
    methods.flatMap((method) => (method.needs[need] === undefined ? [] : [method.name])).join(", ");
  const { clusters, hints, mustLink, cannotLink } = request;
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${name} needs ${option("clusters")}, the number of clusters`);
  }
  for (const given of ["hints", "mustLink", "cannotLink"] as const) {
    if (request[given] === undefined || needs.pairs !== undefined) continue;
    throw optionError(`${option(given)}: ${name} takes no pairs; ${able("pairs")} do`);
  }
  for (const given of ["labels", "known"] as const) {
    if (request[given] === undefined || needs.labels !== undefined) continue;
    throw optionError(`${option(given)}: ${name} takes no known labels; ${able("labels")} do`);
  }
  if (needs.pairs === "required" && (hints ?? mustLink ?? cannotLink) === undefined) {
    throw optionError(`${name} needs pairs: ${option("mustLink")}, ${option("cannotLink")} or both`);
  }
  if (needs.labels === "required" && (hints ?? request.labels ?? request.known) === undefined) {
    throw optionError(`${name} needs ${labels}`);
  }
}
