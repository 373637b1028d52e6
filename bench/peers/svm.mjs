/** Two classes of several clouds each that overlap: neither a line nor few rows tell them apart. */
function mixed({ clouds }, n) {
  const { X, y } = clouds(n, 61, { clusters: 10, spread: 0.35, seed: 3 });
  return { X, y: y.map((cluster) => cluster % 2) };
}

export default [
  {
    name: (n) => `SVM rbf, ${n} x 61`,
    size: 5000,
    sizes: [2500, 5000, 10_000],
    data: mixed,
    ours: (kindred, { X, y }) => kindred.svm(X, y),
    score: (_, { objective }) => objective,
    peers: {
      "scikit-learn": `
from sklearn.svm import SVC
def run():
    return SVC().fit(X, y)
def score(model):
    f = model.decision_function(X)
    a = model.dual_coef_[0]
    own = f[model.support_] - model.intercept_
    return np.abs(a).sum() - 0.5 * a @ own
`,
    },
  },
];
