// Ten starts of ours would be compared with ten of scikit-learn: one start, the same tolerance of a step in likelihood.
export default [
  {
    name: (n) => `GMM full, 8 components, ${n} x 10`,
    size: 20_000,
    sizes: [10_000, 20_000, 40_000],
    data: ({ clouds }, n) => clouds(n, 10, { spread: 1.5 }),
    ours: (kindred, { X }) => kindred.gaussianMixture(X, { clusters: 8, restarts: 1, tolerance: 1e-3 }),
    score: (_, { logLikelihood }, { X }) => logLikelihood / X.rows,
    peers: {
      "scikit-learn": `
from sklearn.mixture import GaussianMixture
def run():
    return GaussianMixture(8, random_state=0).fit(X)
def score(model):
    return model.score(X)
`,
    },
  },
];
