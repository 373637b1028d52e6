const sklearn = (algorithm, clusters) => `
from sklearn.cluster import KMeans
def run():
    return KMeans(${clusters}, n_init=1, random_state=0, algorithm="${algorithm}").fit(X)
def score(model):
    return model.inertia_
`;
const faiss = (clusters) => `
import faiss
X = X.astype(np.float32)
def run():
    model = faiss.Kmeans(X.shape[1], ${clusters}, niter=25, seed=1, max_points_per_centroid=10**9)
    model.train(X)
    return model
def score(model):
    return model.obj[-1]
`;

export default [
  {
    name: (n) => `k-means K = 50, ${n} x 384`,
    size: 20_000,
    sizes: [10_000, 20_000, 40_000],
    data: ({ clouds }, n) => clouds(n, 384, { clusters: 50, spread: 0.3 }),
    ours: (kindred, { X }) => kindred.kmeans(X, { clusters: 50, restarts: 1 }),
    score: (_, { objective }) => objective,
    peers: { elkan: sklearn("elkan", 50), lloyd: sklearn("lloyd", 50), faiss: faiss(50) },
  },
  {
    name: (n) => `k-means K = 8, ${n} x 10`,
    size: 20_000,
    sizes: [20_000, 40_000, 80_000],
    data: ({ clouds }, n) => clouds(n, 10, { spread: 1 }),
    ours: (kindred, { X }) => kindred.kmeans(X, { clusters: 8, restarts: 1 }),
    score: (_, { objective }) => objective,
    peers: { elkan: sklearn("elkan", 8), lloyd: sklearn("lloyd", 8), faiss: faiss(8) },
  },
];
