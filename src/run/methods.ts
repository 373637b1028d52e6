import type { KindredError } from "../core/index.ts";
import { knownNames, option, optionError, rule } from "../core/internal.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import { type ClusteringMethod, clusterings } from "../method/index.ts";
import { TYPING_RULES } from "../data/internal.ts";

/**
 * The default: methods of several kinds propose partitions, and the one that agrees most with all plausible ones is taken.
 */
export const auto: ClusteringMethod = {
  name: "auto",
  title: "Automatic",
  group: "Common",
  sentence:
    "Tries methods of several kinds, takes the partition that they agree on most, and says how sure it is.",
  needs: { clusters: "optional", seed: true, rows: 200_000 },
  takes: "longest",
  async open() {
    // The judge and its candidate methods are loaded on demand.
    const { chosenPartition, fittedBy } = await import("../judge/chosenPartition.ts");
    return {
      options: autoOptions,
      async fit(rows, options, { record } = {}) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        return fittedBy(X, chosenPartition(X, options, record));
      },
    };
  },
};

const autoOptions = {
  maxClusters: rule.integer({
    min: 2,
    says: "maximum number of clusters, if their number is found",
    usual: "the square root of the number of rows, at most 30",
  }),
  outliers: rule.oneOf(["keep", "mark"] as const, "keep", {
    says: "rows that look as if they belong to no cluster: keep them in one, or mark them with -1",
  }),
  budget: rule.real({
    above: 0,
    says: "seconds after which the best so far is taken",
    usual: "until everything was tried",
  }),
  onProgress: rule.progress,
};

/** The default with hints: all candidates of the default, and methods that learn from the hints, vote. */
export const hinted: ClusteringMethod = {
  name: "hints",
  title: "Learn from hints",
  group: "From hints",
  sentence:
    "Learns from a few pairs, groups or labels what alike means; keeps or names every hint and reports what they taught.",
  needs: { clusters: "optional", pairs: "optional", labels: "optional", seed: true, rows: 100_000 },
  takes: "longest",
  weighs: true,
  async open() {
    const { fitHinted } = await import("./fit/fitHinted.ts");
    return {
      options: {
        certain: rule.flag(false, {
          says: "all hints are facts, also those that the data and the other hints speak against",
        }),
        onProgress: rule.progress,
      },
      fit: fitHinted,
    };
  },
};

/** The model of tables with levels: Gaussians for the numbers, multinomials for the levels. */
const mixed: ClusteringMethod = {
  name: "mixed",
  title: "Mixture for mixed tables",
  group: "Common",
  sentence: "A mixture of Gaussians for numbers and multinomials for levels; auto uses it for mixed tables.",
  needs: { clusters: "optional", seed: true, rows: 200_000 },
  async open() {
    const [{ mixedPartition }, { mixedMixtureOptions }] = await Promise.all([
      import("./fit/mixedPartition.ts"),
      import("../cluster/mixture/mixedMixture.ts"),
    ]);
    return { options: mixedMixtureOptions, fit: mixedPartition };
  },
};

/** k-means of tables with levels; of levels alone it is k-modes. */
const prototypes: ClusteringMethod = {
  name: "k-prototypes",
  title: "k-prototypes",
  group: "Common",
  sentence:
    "k-means for numbers and levels: means beside the most frequent levels; k-modes for levels alone.",
  needs: { clusters: "required", seed: true, rows: 500_000 },
  onRequest: true,
  async open() {
    const { fitPrototypes, prototypeOptions } = await import("./fit/levels.ts");
    return { options: prototypeOptions, fit: fitPrototypes };
  },
};

/** The mixture of tables with levels alone. */
const latent: ClusteringMethod = {
  name: "latent-classes",
  title: "Latent class analysis",
  group: "Common",
  sentence: "A mixture for columns of levels alone, which are independent within each class.",
  needs: { clusters: "optional", seed: true, rows: 50_000 },
  onRequest: true,
  async open() {
    const [{ fitLatentClasses }, { latentClassesOptions }] = await Promise.all([
      import("./fit/levels.ts"),
      import("../cluster/mixture/latentClasses.ts"),
    ]);
    return { options: latentClassesOptions, fit: fitLatentClasses };
  },
};

/** Every clustering method with a name: the default choice, the method for hints, and all single methods. */
export const methods: readonly ClusteringMethod[] = [auto, hinted, mixed, prototypes, latent, ...clusterings];

/** Other names of methods. */
export const ALIASES: Readonly<Record<string, string>> = { convex: "cc", "k-modes": "k-prototypes" };

/** The method of that name, or an error that suggests one. */
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
type Knowledge = { readonly [K in "hints" | "mustLink" | "cannotLink" | "labels" | "known"]?: unknown };

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

/** A name that is none of the options of a method or a function. */
export function unknownOption(of: string, name: string, known: readonly string[]): KindredError {
  if (Object.hasOwn(TYPING_RULES, name)) {
    return optionError(
      `${of} has no option "${name}"; give it to readTable or asTable, which decide what a column is`,
    );
  }
  return optionError(
    `${of} has no option "${name}"${known.length === 0 ? "" : `; its options are ${known.join(", ")}`}`,
  );
}
