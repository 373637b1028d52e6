import { toldNotes } from "../core/index.ts";
import { inputError, plural } from "../core/internal.ts";
import type { Clustering } from "../model/index.ts";
import { trustWords } from "../model/internal.ts";

/**
 * A clustering in words for a colleague: what each cluster is, which columns counted, how far to trust it.
 */
export function explain(clustering: Clustering): string {
  // JavaScript callers may pass anything, such as a promise.
  if (typeof clustering !== "object" || clustering === null || clustering.profiles === undefined) {
    throw inputError("explain takes a clustering of cluster or loadModel; await it if it is a promise");
  }
  const { method, clusters, profiles, relevance, trust, proof, notes, labels } = clustering;
  const none = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const shares = relevance
    .filter(({ share }) => share > 0.005)
    .slice(0, 8)
    .map(({ column, share }) => `${column} ${Math.round(100 * share)} %`);
  return [
    `${plural(clusters, "cluster")}, found by ${method}.`,
    ...profiles.map(({ cluster, name, words }) => `${cluster} (${name}): ${words}.`),
    ...(none === 0 ? [] : [`${plural(none, "row")} ${none === 1 ? "belongs" : "belong"} to no cluster.`]),
    ...(shares.length === 0 ? [] : [`What counted: ${shares.join(", ")}.`]),
    ...(trust === undefined ? [] : [`Trust: ${trustWords(trust)}.`]),
    `The solver ${proof.converged ? "converged" : "did not converge"}; this is about its objective, not about the groups.`,
    ...toldNotes(notes, ({ message }) => message).map(({ text }) => `Note: ${text}.`),
    "",
  ].join("\n");
}
