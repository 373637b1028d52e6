// Factorisations against ml-matrix and against LAPACK of the system's OpenBLAS (through koffi, one thread), in one run:
//   npm run build && node bench/methods/factor.mjs [simd|relaxed|plain ...]
// Times are CPU milliseconds, the best of several repetitions; ratios are to the named baseline of the same run.
import { sources } from "../sources.mjs";

const {
  cholesky,
  matrix,
  openBlasEngine,
  openBlasProblem,
  qr,
  random,
  setThreads,
  svd,
  symmetricEigen,
  useEngine,
} = await sources("matrix/engines/openblas.ts");

setThreads(1);
const engines = process.argv.length > 2 ? process.argv.slice(2) : ["simd", "relaxed"];
const mlMatrix = await import("ml-matrix").catch(() => undefined);
const lapack = openBlasProblem() === undefined ? bindLapack(openBlasEngine()) : undefined;

const cases = [
  {
    name: "Cholesky 1000",
    A: positiveDefinite(1000),
    run: cholesky,
    peer: "CholeskyDecomposition",
    native: "potrf",
  },
  {
    name: "eigen 200",
    A: symmetric(200),
    run: symmetricEigen,
    peer: "EigenvalueDecomposition",
    native: "syevd",
  },
  {
    name: "eigen 500",
    A: symmetric(500),
    run: symmetricEigen,
    peer: "EigenvalueDecomposition",
    native: "syevd",
  },
  {
    name: "eigen 1000",
    A: symmetric(1000),
    run: symmetricEigen,
    peer: "EigenvalueDecomposition",
    native: "syevd",
  },
  { name: "QR 500 x 100", A: normal(500, 100), run: qr, peer: "QrDecomposition" },
  {
    name: "SVD 500 x 100",
    A: normal(500, 100),
    run: svd,
    peer: "SingularValueDecomposition",
    native: "gesdd",
  },
  {
    name: "SVD 300 x 300",
    A: normal(300, 300),
    run: svd,
    peer: "SingularValueDecomposition",
    native: "gesdd",
  },
];

console.log(
  `${"".padEnd(16)}${["ml-matrix", "OpenBLAS", ...engines].map((name) => name.padStart(22)).join("")}`,
);
for (const { name, A, run, peer, native } of cases) {
  const cells = [];
  const ml = mlMatrix && time(() => decompose(peer, A), 2);
  const blas = lapack && native && time(() => lapack[native](A), 7);
  cells.push(ml === undefined ? "-" : ml.toFixed(1), blas === undefined ? "-" : blas.toFixed(1));
  for (const engine of engines) {
    useEngine(engine);
    const own = time(() => run(A), engine === "plain" ? 2 : 7);
    const ratios = [
      ml === undefined ? "" : `${(ml / own).toFixed(0)}x faster`,
      blas === undefined ? "" : `${(own / blas).toFixed(2)} of BLAS`,
    ];
    cells.push(`${own.toFixed(1)} (${ratios.filter(Boolean).join(", ")})`);
  }
  console.log(`${name.padEnd(16)}${cells.map((cell) => cell.padStart(22)).join(" ")}`);
}

function time(work, repetitions) {
  let best = Infinity;
  for (let r = 0; r <= repetitions; r++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

function decompose(name, A) {
  const M = mlMatrix.Matrix.from1DArray(A.rows, A.cols, A.data);
  const result = new mlMatrix[name](M);
  // These two compute only when asked.
  if (name === "QrDecomposition") return [result.orthogonalMatrix, result.upperTriangularMatrix];
  return result;
}

/** LAPACK by its Fortran names; a symmetric matrix reads the same by rows and by columns. */
function bindLapack(engine) {
  engine.bind("void openblas_set_num_threads(int count)")(1);
  const potrf = engine.bind("void dpotrf_(const char*, void*, void*, void*, void*)");
  const syevd = engine.bind(
    "void dsyevd_(const char*, const char*, void*, void*, void*, void*, void*, void*, void*, void*, void*)",
  );
  const gesdd = engine.bind(
    "void dgesdd_(const char*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*)",
  );
  const int = (value) => Int32Array.of(value);
  return {
    potrf(A) {
      const L = A.data.slice();
      potrf("U", int(A.rows), L, int(A.rows), int(0));
      return L;
    },
    syevd(A) {
      const n = A.rows;
      const V = A.data.slice();
      const size = 1 + 6 * n + 2 * n * n;
      const indices = 3 + 5 * n;
      const values = new Float64Array(n);
      syevd(
        "V",
        "U",
        int(n),
        V,
        int(n),
        values,
        new Float64Array(size),
        int(size),
        new Int32Array(indices),
        int(indices),
        int(0),
      );
      return { values, V };
    },
    gesdd(A) {
      // By columns A is its transpose, cols x rows.
      const [m, n] = [A.cols, A.rows];
      const k = Math.min(m, n);
      const values = new Float64Array(k);
      const U = new Float64Array(m * k);
      const V = new Float64Array(k * n);
      const size = 4 * k * k + 64 * Math.max(m, n) + 7 * k;
      gesdd(
        "S",
        int(m),
        int(n),
        A.data.slice(),
        int(m),
        values,
        U,
        int(m),
        V,
        int(k),
        new Float64Array(size),
        int(size),
        new Int32Array(8 * k),
        int(0),
      );
      return { values, U, V };
    },
  };
}

function normal(rows, cols) {
  const generator = random(1);
  const A = matrix(rows, cols);
  for (let p = 0; p < A.data.length; p++) A.data[p] = generator.normal();
  return A;
}

function symmetric(n) {
  const A = normal(n, n);
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) A.data[i * n + j] = A.data[j * n + i];
  return A;
}

function positiveDefinite(n) {
  const A = symmetric(n);
  for (let i = 0; i < n; i++) A.data[i * n + i] += 3 * n;
  return A;
}
