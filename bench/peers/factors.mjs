// Principal components by the leading ten directions, the share of the variance that they keep as the score.
const share = ({ data }, result) => {
  let [kept, all] = [0, 0];
  for (const value of result.data) kept += value * value;
  for (const value of data) all += value * value;
  return kept / all;
};
const COUNT = 10;

export default [
  [100, 50_000, [12_500, 25_000, 50_000]],
  [2000, 5000, undefined],
].map(([d, size, sizes]) => ({
  name: (n) => `PCA, ${n} x ${d}, ${COUNT} components`,
  size,
  sizes,
  data: ({ clouds }, n) => clouds(n, d, { spread: 0.7 }),
  ours: (kindred, { X }) => kindred.pca(X, { dims: COUNT }),
  score: (kindred, fitted, { X }) => share(X, fitted.transform(X)),
  peers: {
    "scikit-learn": `
from sklearn.decomposition import PCA
def run():
    return PCA(${COUNT}, random_state=0).fit(X)
def score(model):
    return (model.transform(X) ** 2).sum() / (X ** 2).sum()
`,
  },
}));
