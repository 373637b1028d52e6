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

/** The share of the ten nearest of 200 rows that were found: those as near as the tenth of all. */
const RECALL = `
Y = X.astype(np.float32)
def score(found):
    rows = np.arange(0, len(Y), max(1, len(Y) // 200))
    D = (Y[rows] ** 2).sum(1)[:, None] + (Y ** 2).sum(1) - 2 * Y[rows] @ Y.T
    D[np.arange(len(rows)), rows] = np.inf
    limit = np.partition(D, 9, axis=1)[:, 9] * (1 + 1e-5)
    right = 0
    for a, i in enumerate(rows):
        near = [j for j in found[i] if j != i][:10]
        right += (D[a, near] <= limit[a]).sum()
    return right / 10 / len(rows)
`;
const hnswlib = (M, ef) => `
import hnswlib
${RECALL}
def run():
    index = hnswlib.Index("l2", Y.shape[1])
    index.init_index(len(Y), ef_construction=${2 * ef}, M=${M}, random_seed=1)
    index.set_num_threads(1)
    index.add_items(Y, num_threads=1)
    index.set_ef(${ef})
    return index.knn_query(Y, 11, num_threads=1)[0]
`;
const pynndescent = (neighbors) => `
import pynndescent
${RECALL}
pynndescent.NNDescent(Y[:1000], n_neighbors=15, n_jobs=1).neighbor_graph  # compiles
def run():
    return pynndescent.NNDescent(Y, n_neighbors=${neighbors}, n_jobs=1, random_state=1).neighbor_graph[0]
`;
/** Rank 20 and noise, as vectors of texts have few strong directions. */
function lowRank({ matrix, random }, n, d) {
  const { normal } = random(3);
  const W = Float64Array.from({ length: 20 * d }, () => normal() / Math.sqrt(20));
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = 0.1 * normal();
    for (let q = 0; q < 20; q++) {
      const z = normal();
      for (let f = 0; f < d; f++) X.data[i * d + f] += z * W[q * d + f];
    }
  }
  return { X };
}
/** Topics of uneven size, variances that fall as a power, length 1. */
function unitVectors({ matrix, random }, n, d) {
  const { normal, uniform } = random(4);
  const size = Float64Array.from({ length: d }, (_, f) => (1 + f) ** -0.6);
  const topics = Float64Array.from({ length: 200 * d }, (_, p) => size[p % d] * normal());
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    const topic = Math.floor(200 * uniform() ** 2);
    let sum = 0;
    for (let f = 0; f < d; f++) {
      const value = topics[topic * d + f] + 0.8 * size[f] * normal();
      X.data[i * d + f] = value;
      sum += value * value;
    }
    for (let f = 0; f < d; f++) X.data[i * d + f] /= Math.sqrt(sum);
  }
  return { X };
}
/** Peers with settings that find as many as ours does, if they can. */
const approximate = (what, data, peers) => ({
  name: (n) => `Approximate 10-NN, ${what}, ${n} x 384`,
  size: 50_000,
  sizes: [12_500, 25_000, 50_000],
  data: (tools, n) => data(tools, n, 384),
  ours: (kindred, { X }) => kindred.nearestNeighbors(X, 10, { search: "approximate" }),
  score: (_, { recall }) => recall,
  peers,
});

export default [
  exact(64, 20_000),
  exact(384, 10_000),
  { ...exact(384, 50_000), sizes: undefined, peers: {} },
  approximate("50 clouds", ({ clouds }, n, d) => clouds(n, d, { clusters: 50, spread: 0.5 }), {
    hnswlib: hnswlib(16, 100),
    pynndescent: pynndescent(15),
  }),
  approximate("rank 20", lowRank, { hnswlib: hnswlib(16, 100), pynndescent: pynndescent(15) }),
  approximate("unit vectors", unitVectors, { hnswlib: hnswlib(16, 100), pynndescent: pynndescent(15) }),
];
