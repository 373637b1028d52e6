import { atPeak } from "../peak.mjs";

const normal = ({ matrix, random }, rows, cols) => {
  const { normal: next } = random(5);
  return {
    X: matrix(
      rows,
      cols,
      Float64Array.from({ length: rows * cols }, () => next()),
    ),
  };
};
const square = (tools, n) => normal(tools, n, n);
const sizes = [512, 1024, 2048];
const withEngine = (engine, work) => (kindred, data) => {
  kindred.useEngine(engine);
  return work(kindred, data);
};
/** Symmetric and positive definite, formed once on either side. */
const spd = ({ gram }, data) => (data.S ??= gram(data.X));

export default ["simd", "relaxed"].flatMap((engine) => [
  {
    name: (n) => `GEMM ${n}, ${engine}`,
    size: 1024,
    sizes,
    data: square,
    ours: withEngine(engine, ({ multiply }, { X }) => multiply(X, X)),
    least: engine === "relaxed" ? (n) => atPeak(2 * n ** 3) : undefined,
    peers: { numpy: "def run():\n    return X @ X" },
  },
  {
    name: (n) => `X'X ${n} x 64, ${engine}`,
    size: 200_000,
    sizes: [100_000, 200_000, 400_000],
    data: (tools, n) => normal(tools, n, 64),
    ours: withEngine(engine, ({ gram }, { X }) => gram(X)),
    peers: { numpy: "def run():\n    return X.T @ X" },
  },
  {
    name: (n) => `Cholesky ${n}, ${engine}`,
    size: 1024,
    sizes,
    data: square,
    ours: withEngine(engine, (kindred, data) => kindred.cholesky(spd(kindred, data))),
    peers: { numpy: "S = X.T @ X\ndef run():\n    return np.linalg.cholesky(S)" },
  },
  {
    name: (n) => `Eigenpairs ${n}, ${engine}`,
    size: 512,
    sizes: [256, 512, 1024],
    data: square,
    ours: withEngine(engine, (kindred, data) => kindred.symmetricEigen(spd(kindred, data))),
    peers: { numpy: "S = X.T @ X\ndef run():\n    return np.linalg.eigh(S)" },
  },
  ...Object.entries({ QR: "qr", SVD: "svd" }).map(([title, factor]) => ({
    name: (n) => `${title} ${n} x 100, ${engine}`,
    size: 500,
    sizes: [500, 1000, 2000],
    data: (tools, n) => normal(tools, n, 100),
    ours: withEngine(engine, (kindred, { X }) => kindred[factor](X)),
    peers: {
      numpy: `def run():\n    return np.linalg.${factor === "qr" ? "qr(X)" : "svd(X, full_matrices=False)"}`,
    },
  })),
]);
