const fastcluster = (method, form) => `
import fastcluster
def run():
    return fastcluster.${form}(X, "${method}")
def score(Z):
    return Z[-1, 2]
`;

export default ["ward", "average", "complete", "single"].map((linkage) => ({
  name: (n) => `${linkage[0].toUpperCase()}${linkage.slice(1)} linkage, ${n} x 10`,
  size: linkage === "ward" ? 20_000 : 10_000,
  sizes: [5000, 10_000, 20_000],
  data: ({ clouds }, n) => clouds(n, 10),
  ours: (kindred, { X }) => kindred.agglomerative(X, { linkage, clusters: 8 }),
  score: (_, { tree }) => tree.heights.at(-1),
  peers:
    linkage === "ward"
      ? {
          fastcluster: fastcluster("ward", "linkage"),
          "fastcluster, rows": fastcluster("ward", "linkage_vector"),
        }
      : { fastcluster: fastcluster(linkage, "linkage") },
}));
