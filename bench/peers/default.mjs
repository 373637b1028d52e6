const ari = `
from sklearn.metrics import adjusted_rand_score
def score(labels):
    return adjusted_rand_score(y, labels)
`;
const peers = {
  "GMM, BIC of 1 to 10": `
from sklearn.mixture import GaussianMixture
def run():
    models = [GaussianMixture(k, random_state=0).fit(X) for k in range(1, 11)]
    return min(models, key=lambda model: model.bic(X)).predict(X)
${ari}`,
  HDBSCAN: `
from sklearn.cluster import HDBSCAN
def run():
    return HDBSCAN(min_cluster_size=max(5, len(X) // 100)).fit(X).labels_
${ari}`,
};
const whole = (d, size, sizes) => ({
  name: (n) => `Default cluster, ${n} x ${d}`,
  size,
  sizes,
  data: ({ clouds }, n) => clouds(n, d, { clusters: 5, spread: d > 100 ? 0.5 : 2 }),
  ours: (kindred, { X }) => kindred.cluster(X),
  score: (kindred, { labels }, { y }) => kindred.adjustedRand(labels, y),
  peers: d > 100 || size > 20_000 ? {} : peers,
});

/** Ten numbers and five categories; the numbers have gaps. */
const mixed = {
  name: (n) => `Default cluster, ${n} rows of 10 numbers and 5 categories`,
  size: 10_000,
  sizes: [1000, 10_000, 100_000],
  data: ({ clouds, random }, n) => {
    const { X, y } = clouds(n, 15, { clusters: 5 });
    const { uniform } = random(7);
    for (let p = 0; p < X.data.length; p++) {
      if (p % 15 < 10) X.data[p] = uniform() < 0.03 ? Number.NaN : X.data[p];
      else X.data[p] = uniform() < 0.6 ? y[Math.floor(p / 15)] : Math.floor(5 * uniform());
    }
    return { X, y };
  },
  async ours(kindred, { X }) {
    const columns = Array.from({ length: 15 }, (_, f) => [
      `c${f}`,
      Array.from({ length: X.rows }, (__, i) => {
        const value = X.data[i * 15 + f];
        return f < 10 ? (Number.isNaN(value) ? null : value) : `level ${value}`;
      }),
    ]);
    return kindred.cluster(Object.fromEntries(columns));
  },
  score: (kindred, { labels }, { y }) => kindred.adjustedRand(labels, y),
  peers: {},
};

export default [
  mixed,
  whole(10, 1000),
  whole(10, 10_000, [1000, 10_000, 100_000]),
  whole(10, 100_000),
  whole(384, 5000, [1250, 5000, 20_000]),
  whole(384, 30_000),
];
