import { knownNames, optionError } from "../core/internal.ts";
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
