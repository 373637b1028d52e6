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

export default [
  whole(10, 1000),
  whole(10, 10_000, [1000, 10_000, 100_000]),
  whole(10, 100_000),
  whole(384, 5000, [1250, 5000, 20_000]),
  whole(384, 30_000),
];
