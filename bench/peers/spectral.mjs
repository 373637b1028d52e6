export default [5000, 20_000].map((size) => ({
  name: (n) => `Spectral, 10 neighbours, 8 clusters, ${n} x 10`,
  size,
  sizes: size === 20_000 ? [5000, 10_000, 20_000] : undefined,
  data: ({ clouds }, n) => clouds(n, 10, { spread: 1.3 }),
  ours: (kindred, { X }) => kindred.spectral(X, { clusters: 8 }),
  score: (kindred, { labels }, { y }) => kindred.adjustedRand(labels, y),
  peers: {
    "scikit-learn": `
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
def run():
    return SpectralClustering(8, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit(X)
def score(model):
    return adjusted_rand_score(y, model.labels_)
`,
  },
}));
