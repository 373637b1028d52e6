// Objectives beside times: NCA from the identity and full MMC, both to be as large as possible.
import { METRIC_LEARN } from "../metricLearn.mjs";

/** Ten shapes of 8 x 8 cells, moved and blurred, whole numbers from 0 to 16 as pixels are. */
function shapes({ matrix, random }, n) {
  const { normal, uniform } = random(4);
  const shape = Float64Array.from({ length: 640 }, () => (uniform() < 0.4 ? 12 * uniform() : 0));
  const y = Int32Array.from({ length: n }, (_, i) => i % 10);
  const cells = Float64Array.from({ length: n * 64 }, (_, p) => {
    const value = shape[64 * y[Math.floor(p / 64)] + (p % 64)];
    return Math.max(0, Math.min(16, Math.round(value + (value > 0 ? 7 : 5) * normal())));
  });
  return { X: matrix(n, 64, cells), y };
}

/** 200 pairs of each kind, the same on both sides. */
function pairsOf(y) {
  const n = y.length;
  const [mustLink, cannotLink] = [[], []];
  for (let e = 1; mustLink.length < 200 || cannotLink.length < 200; e++) {
    const [i, j] = [(e * 7919) % n, (e * 10_007 + 13) % n];
    const list = y[i] === y[j] ? mustLink : cannotLink;
    if (i !== j && list.length < 200) list.push([i, j]);
  }
  return { mustLink, cannotLink };
}
const PAIRS = `
alike, apart, e = [], [], 1
while len(alike) < 200 or len(apart) < 200:
    i, j = e * 7919 % len(y), (e * 10007 + 13) % len(y)
    found = alike if y[i] == y[j] else apart
    if i != j and len(found) < 200:
        found.append((i, j))
    e += 1
pairs = X[np.array(alike + apart)]
same = np.r_[np.ones(200), -np.ones(200)]
`;

export default [
  {
    name: (n) => `NCA, ${n} x 64 pixels`,
    size: 600,
    sizes: [300, 600, 1200],
    data: shapes,
    ours: (kindred, { X, y }) => kindred.nca(X, y, { init: "identity" }),
    score: (_, { objective }) => objective,
    peers: {
      "scikit-learn": `
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.metrics import pairwise_distances
def run():
    return NeighborhoodComponentsAnalysis(init="identity").fit(X, y)
def score(model):
    D = pairwise_distances(X @ model.components_.T) ** 2
    np.fill_diagonal(D, np.inf)
    E = np.exp(D.min(1, keepdims=True) - D)
    return ((E * (y[:, None] == y)).sum(1) / E.sum(1)).mean()
`,
    },
  },
  {
    name: (n) => `MMC, ${n} x 18, 200 + 200 pairs`,
    size: 2310,
    sizes: [1155, 2310, 4620],
    data: ({ clouds }, n) => clouds(n, 18, { clusters: 7, spread: 1 }),
    ours: (kindred, { X, y }) => kindred.mmc(X, { ...pairsOf(y), regularization: 0 }),
    score: (_, { J }) => J,
    peers: {
      "metric-learn": `
from metric_learn import MMC
${METRIC_LEARN}
${PAIRS}
def run():
    return MMC().fit(pairs, same)
def score(model):
    v = (pairs[:, 0] - pairs[:, 1]) @ model.components_.T
    p = (v * v).sum(1)
    return np.sqrt(p[same < 0]).sum() / np.sqrt(p[same > 0].sum())
`,
    },
  },
];
