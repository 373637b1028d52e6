const brute = `
from sklearn.neighbors import NearestNeighbors
def run():
    return NearestNeighbors(n_neighbors=10, algorithm="brute").fit(X).kneighbors()
def score(result):
    return result[0].sum()
`;
const faiss = `
import faiss
Y = X.astype(np.float32)
def run():
    index = faiss.IndexFlatL2(Y.shape[1])
    index.add(Y)
    return index.search(Y, 11)
def score(result):
    return np.sqrt(np.maximum(result[0][:, 1:], 0)).sum()
`;
const exact = (d, size) => ({
  name: (n) => `Exact 10-NN, ${n} x ${d}`,
  size,
  sizes: [5000, 10_000, 20_000],
  data: ({ clouds }, n) => clouds(n, d, { clusters: 50, spread: 0.5 }),
  ours: (kindred, { X }) => kindred.nearestRows(X, 10),
  score: (_, { distances }) => distances.reduce((sum, value) => sum + Math.sqrt(value), 0),
  peers: { brute, faiss },
});

export default [exact(64, 20_000), exact(384, 10_000)];
