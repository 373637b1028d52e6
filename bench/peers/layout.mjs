// Scores: the share of the ten nearest points in the layout that are of the same cluster.
export default [
  {
    name: (n) => `Layout, ${n} x 50`,
    size: 100_000,
    sizes: [6250, 12_500, 25_000],
    data: ({ clouds }, n) => clouds(n, 50, { clusters: 30, spread: 0.7 }),
    ours: (kindred, { X }) => kindred.neighborLayout(X),
    score(kindred, { embedding }, { y }) {
      const { indices } = kindred.nearestNeighbors(embedding, 10);
      return indices.reduce((sum, j, p) => sum + Number(y[j] === y[Math.floor(p / 10)]), 0) / indices.length;
    },
    peers: {
      "umap-learn": `
import umap
from sklearn.neighbors import NearestNeighbors
umap.UMAP(n_jobs=1).fit(X[:500])  # compiles
def run():
    return umap.UMAP(n_jobs=1, random_state=0).fit_transform(X)
def score(Y):
    near = NearestNeighbors(n_neighbors=10).fit(Y).kneighbors(return_distance=False)
    return (y[near] == y[:, None]).mean()
`,
    },
  },
];
