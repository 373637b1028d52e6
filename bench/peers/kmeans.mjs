// Each run is one start from each of SEEDS seeds, because the number of iterations, and so the time, is a matter of luck. Ours
// ends when no row moves. scikit-learn's default `tol` ends earlier, so `tol=0` is beside it. faiss draws its start from all
// rows, or by k-means++ if it is asked to, and in its defaults it learns from 256 rows for each centre in at most 25
// iterations and gives no labels; the others are asked for all rows, for as many iterations as lower its objective, and for
// labels. The score is the mean over the seeds of the sum of squared distances of all rows to their nearest centres.
const SEEDS = [1, 2, 3];

const sklearn = (algorithm, clusters, more = "") => `
from sklearn.cluster import KMeans
def run():
    return [KMeans(${clusters}, n_init=1, random_state=s, algorithm="${algorithm}"${more}).fit(X) for s in ${JSON.stringify(SEEDS)}]
def score(models):
    return np.mean([model.inertia_ for model in models])
`;
const ALL_ROWS = ", max_points_per_centroid=10**9, niter=1000";
const faiss = (clusters, more = "") => `
import faiss
Y = X.astype(np.float32)
def fit(s):
    model = faiss.Kmeans(X.shape[1], ${clusters}, seed=s${more})
    model.train(Y)
    ${more === "" ? "" : "model.assign(Y)"}
    return model.centroids
def run():
    return [fit(s) for s in ${JSON.stringify(SEEDS)}]
def score(all):
    squares = (X ** 2).sum(1)[:, None]
    return np.mean([(squares - 2 * X @ C.T + (C ** 2).sum(1)).min(1).sum() for C in all])
`;

const peers = (clusters) => ({
  "Elkan (tol 1e-4)": sklearn("elkan", clusters),
  "Elkan (tol 0)": sklearn("elkan", clusters, ", tol=0"),
  "Lloyd (tol 1e-4)": sklearn("lloyd", clusters),
  "Lloyd (tol 0)": sklearn("lloyd", clusters, ", tol=0"),
  "faiss, its defaults": faiss(clusters),
  "faiss, all rows": faiss(clusters, ALL_ROWS),
  "faiss, all rows, k-means++": faiss(
    clusters,
    `${ALL_ROWS}, init_method=faiss.ClusteringInitMethod_KMEANS_PLUS_PLUS`,
  ),
});
const fits = (kindred, X, clusters) =>
  SEEDS.map((seed) => kindred.kmeans(X, { clusters, restarts: 1, seed }).objective);
const score = (_, objectives) => objectives.reduce((sum, value) => sum + value, 0) / objectives.length;

export default [
  {
    name: (n) => `k-means K = 50, ${n} x 384, ${SEEDS.length} starts until no row moves`,
    size: 20_000,
    sizes: [10_000, 20_000, 40_000],
    data: ({ clouds }, n) => clouds(n, 384, { clusters: 50, spread: 0.3 }),
    ours: (kindred, { X }) => fits(kindred, X, 50),
    score,
    peers: peers(50),
  },
  {
    name: (n) => `k-means K = 8, ${n} x 10, ${SEEDS.length} starts until no row moves`,
    size: 20_000,
    sizes: [20_000, 40_000, 80_000],
    data: ({ clouds }, n) => clouds(n, 10, { spread: 1 }),
    ours: (kindred, { X }) => fits(kindred, X, 8),
    score,
    peers: peers(8),
  },
  {
    name: (n) => `k-medoids K = 8, ${n} x 10, the greedy start`,
    size: 3000,
    sizes: [1000, 2000, 4000],
    data: ({ clouds }, n) => clouds(n, 10, { spread: 1 }),
    ours: (kindred, { X }) => kindred.kMedoids(X, { clusters: 8, restarts: 1 }),
    score: (_, { objective }) => objective,
    peers: {
      kmedoids: `
import kmedoids
from sklearn.metrics import pairwise_distances
def run():
    return kmedoids.fasterpam(pairwise_distances(X), 8, init="build", random_state=0)
def score(result):
    return result.loss
`,
    },
  },
];
