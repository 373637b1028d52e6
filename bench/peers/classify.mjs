// Classifiers: fit and predict of the training rows. Accuracies are of the forest out of bag, else on those rows; the
// score of the SVM is its dual objective. A linear SVM runs to a gap of 1e-6 here and to a coarser default there.

/** Two classes of several clouds each that overlap: neither a line nor few rows tell them apart. */
function mixed({ clouds }, n) {
  const { X, y } = clouds(n, 61, { clusters: 10, spread: 0.35, seed: 3 });
  return { X, y: y.map((cluster) => cluster % 2) };
}

const sklearn = (imports, call) => `
${imports}
def run():
    model = ${call}.fit(X, y)
    return model, model.predict(X)
def score(result):
    model, predicted = result
    return model.oob_score_ if hasattr(model, "oob_score_") else (predicted == y).mean()
`;
const CLASSIFIERS = [
  [
    "random forest",
    (kindred, X, y) => kindred.randomForest(X, y),
    sklearn(
      "from sklearn.ensemble import RandomForestClassifier",
      "RandomForestClassifier(100, oob_score=True, random_state=0)",
    ),
  ],
  [
    "linear SVM",
    (kindred, X, y) => kindred.linearSvm(X, y),
    sklearn("from sklearn.svm import LinearSVC", "LinearSVC(random_state=0, max_iter=10000)"),
  ],
  [
    "naive Bayes",
    (kindred, X, y) => kindred.gaussianNaiveBayes(X, y),
    sklearn("from sklearn.naive_bayes import GaussianNB", "GaussianNB()"),
  ],
  [
    "5-NN",
    (kindred, X, y) => kindred.kNearestNeighbors(X, y),
    sklearn("from sklearn.neighbors import KNeighborsClassifier", "KNeighborsClassifier(5)"),
  ],
];

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
  ...CLASSIFIERS.map(([title, fit, python]) => ({
    name: (n) => `Classify: ${title}, ${n} x 20, 5 classes`,
    size: 5000,
    sizes: [2500, 5000, 10_000],
    data: ({ clouds }, n) => clouds(n, 20, { clusters: 5, spread: 0.6, seed: 2 }),
    ours: (kindred, { X, y }) => {
      const model = fit(kindred, X, y);
      return { model, labels: model.predict(X) };
    },
    score: (_, { model, labels }, { y }) =>
      model.outOfBag?.accuracy ?? labels.filter((label, i) => label === y[i]).length / y.length,
    peers: { "scikit-learn": python },
  })),
];
