const hdbscan = (approximate) => `
import hdbscan
from sklearn.metrics import adjusted_rand_score
def run():
    return hdbscan.HDBSCAN(min_cluster_size=15, core_dist_n_jobs=1, approx_min_span_tree=${approximate ? "True" : "False"}).fit(X)
def score(model):
    return adjusted_rand_score(y, model.labels_)
`;

export default [
  {
    name: (n) => `HDBSCAN, ${n} x 10`,
    size: 20_000,
    sizes: [5000, 10_000, 20_000],
    data: ({ clouds }, n) => clouds(n, 10),
    ours(kindred, { X }) {
      if (kindred.hdbscan === undefined) throw new Error("this build has no hdbscan");
      return kindred.hdbscan(X, { minClusterSize: 15 });
    },
    // Noise counts as one more cluster, as on the other side.
    score: (kindred, { labels }, { y }) =>
      kindred.adjustedRand(
        labels.map((label) => (label < 0 ? y.length : label)),
        y,
      ),
    // By default its spanning tree is approximate, and its clusters others.
    peers: { hdbscan: hdbscan(false), "hdbscan, as it comes": hdbscan(true) },
  },
];
