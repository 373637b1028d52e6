import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as cluster from "../../src/cluster/index.ts";
import { verbs } from "../../src/cli/verbs.ts";
import * as features from "../../src/features/index.ts";
import * as graph from "../../src/graph/index.ts";
import * as recipes from "../../src/recipes/index.ts";
import * as score from "../../src/score/index.ts";
import { methods } from "../../src/run/index.ts";

const page = readFileSync(new URL("../../docs/reference/counterparts.md", import.meta.url), "utf8");
const spans = (cell: string): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name);
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const entries: Readonly<Record<string, object>> = { cluster, features, graph, score, convex: recipes };

describe("the page of counterparts", () => {
  test.each(rows.filter((row) => row[1] !== "none"))("%s is %s of %s", (_, here, entry) => {
    for (const name of spans(here)) {
      const found = entry
        .split(", ")
        .some((room) =>
          room.startsWith("command")
            ? room === "command data" || verbs.some((verb) => verb.name === name)
            : name in (entries[room] ?? {}),
        );
      expect(found, `${name} of ${entry}`).toBe(true);
    }
    expect(spans(here).length).toBeGreaterThan(0);
  });

  // What these modules export (dir and ls of scikit-learn 1.9, hdbscan 0.8, genieclust 1.3, R cluster 2.1).
  const EXPORTED = {
    "scikit-learn":
      "DBSCAN HDBSCAN OPTICS AffinityPropagation AgglomerativeClustering Birch BisectingKMeans FeatureAgglomeration KMeans MeanShift MiniBatchKMeans SpectralBiclustering SpectralClustering SpectralCoclustering affinity_propagation cluster_optics_dbscan cluster_optics_xi compute_optics_graph dbscan estimate_bandwidth get_bin_seeds k_means kmeans_plusplus linkage_tree mean_shift spectral_clustering ward_tree BayesianGaussianMixture GaussianMixture adjusted_mutual_info_score adjusted_rand_score calinski_harabasz_score completeness_score consensus_score contingency_matrix davies_bouldin_score entropy expected_mutual_information fowlkes_mallows_score homogeneity_completeness_v_measure homogeneity_score mutual_info_score normalized_mutual_info_score pair_confusion_matrix rand_score silhouette_samples silhouette_score v_measure_score",
    "R cluster":
      "agnes bannerplot chorSub clara clusGap clusplot coef.hclust coefHier daisy diana ellipsoidhull ellipsoidPoints fanny lower.to.upper.tri.inds maxSE meanabsdev medoids mona pam pltree predict.ellipsoid silhouette sizeDiss sortSilhouette upper.to.lower.tri.inds volume",
    hdbscan:
      "BranchDetector HDBSCAN RobustSingleLinkage all_points_membership_vectors approximate_predict approximate_predict_branch approximate_predict_scores detect_branches_in_clusters hdbscan membership_vector robust_single_linkage validity_index",
    genieclust:
      "GIc Genie calinski_harabasz_index dunnowa_index generalised_dunn_index negated_ball_hall_index negated_davies_bouldin_index negated_wcss_index silhouette_index silhouette_w_index wcnn_index adjusted_fm_score adjusted_mi_score adjusted_rand_score confusion_matrix fm_score mi_score normalized_clustering_accuracy normalized_mi_score normalized_pivoted_accuracy normalizing_permutation pair_sets_index rand_score",
  };
  test.each(Object.entries(EXPORTED))("has every function of %s", (_, names) => {
    const there = new Set(rows.flatMap(([cell]) => spans(cell)));
    expect(names.split(" ").filter((name) => !there.has(name))).toEqual([]);
  });

  test("every method that a comparison tries on request is on it, by its function", () => {
    const here = new Set(rows.flatMap((row) => spans(row[1] ?? "")));
    const functions = methods
      .filter(({ onRequest }) => onRequest === true)
      .map(
        ({ name }) =>
          ({
            "bisecting-kmeans": "divisive",
            "fuzzy-cmeans": "fuzzyCMeans",
            "minibatch-kmeans": "miniBatchKmeans",
          })[name] ?? name.replace(/-(.)/g, (__, letter: string) => letter.toUpperCase()),
      );
    expect(functions.filter((name) => !here.has(name))).toEqual([]);
  });
});
