// Convex clustering with q = 2 by SSNAL, the semismooth Newton method in an augmented Lagrangian (Y. Yuan, D. Sun and K.-C.
// Toh, 2018; D. Sun, K.-C. Toh and Y. Yuan, 2021, Algorithms 1 and 2), beside the library's solver: CPU seconds from a cold
// start to a relative duality gap of 1e-6, by the same certificate. A cell that takes longer than --most seconds ends there.
//
//   npm run build && node bench/methods/convex-newton.mjs --rows 1000,10000,100000 --gammas 0.1,1,10 --most 600
//
// Rule, set before the first run: the library's solver stays unless SSNAL needs at most two thirds of its CPU seconds over all
// cells of 10,000 rows and more, and in no cell more than twice as many. SSNAL is plain JavaScript, the library's edge sums run
// in WebAssembly: `steps` and `products` (Newton steps, products with the edges) do not depend on that.
import { certificate, neighborGraph, random, solveL2 } from "../library.mjs";
import { clouds, cpuSeconds, settings, timed } from "../measure.mjs";

const { rows, gammas, most, data } = settings({
  rows: "1000,10000,100000",
  gammas: "0.1,1,10",
  most: 600,
  data: "clouds,moons",
});
const TOLERANCE = 1e-6;

console.log(
  "set, rows x columns, edges, gamma | library: CPU s, gap, steps | SSNAL: CPU s, gap, steps, products | ratio",
);
for (const name of data.split(",")) {
  for (const n of rows.split(",").map(Number)) {
    const X = name === "moons" ? moons(n) : clouds(random, n, 5).X;
    const { graph } = neighborGraph(X, { neighbors: 10, alpha: 0.1 });
    for (const gamma of gammas.split(",").map(Number)) {
      const problem = { X, graph, norm: 2 };
      const own = timed(() => solveL2(problem, { gamma, tolerance: TOLERANCE }));
      const other = timed(() => ssnal(problem, gamma));
      const difference = other.result.certificate.primal / own.result.certificate.primal - 1;
      const told = ({
        cpu,
        result: {
          certificate: { relativeGap },
          iterations,
        },
      }) => `${cpu.toFixed(2)} s, ${relativeGap.toExponential(1)}, ${iterations}`;
      console.log(
        `${name}, ${n} x ${X.cols}, ${graph.from.length}, ${gamma} | ${told(own)} | ${told(other)}, ` +
          `${other.result.products} | ${(other.cpu / own.cpu).toFixed(1)} (objective ${difference.toExponential(0)})`,
      );
    }
  }
}

/** Two half circles with noise of 0.1. */
function moons(n) {
  const { uniform, normal } = random(1);
  const data = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    const [side, turn] = [i % 2, Math.PI * uniform()];
    data[2 * i] = side + (1 - 2 * side) * Math.cos(turn) + 0.1 * normal();
    data[2 * i + 1] = side / 2 + (1 - 2 * side) * Math.sin(turn) + 0.1 * normal();
  }
  return { rows: n, cols: 2, data };
}

/**
 * min 1/2 ||U - X||^2 + sum_l r_l ||v_l||, v_l = u_i - u_j: with P the projection of each edge on its ball of radius r_l, the
 * inner problem has the gradient U - X + D'P(Z + sigma D U), whose root Newton finds; then Z <- P(Z + sigma D U).
 */
function ssnal({ X, graph, norm }, gamma) {
  const { from, to, weights } = graph;
  const [n, d, m] = [X.rows, X.cols, from.length];
  const begun = process.cpuUsage();
  const U = X.data.slice();
  const Z = new Float64Array(m * d);
  const Y = new Float64Array(m * d); // Z + sigma D U
  const P = new Float64Array(m * d);
  const [gradient, step, residual, along, image, preconditioned] = Array.from(
    { length: 6 },
    () => new Float64Array(n * d),
  );
  const sizes = new Float64Array(m);
  const diagonal = new Float64Array(n * d);
  let [sigma, steps, products] = [1, 0, 0];

  /** phi(U + t step) and, in `gradient`, its gradient. */
  function evaluate(t) {
    let value = 0;
    for (let p = 0; p < n * d; p++) {
      gradient[p] = U[p] + t * step[p] - X.data[p];
      value += gradient[p] ** 2 / 2;
    }
    for (let l = 0; l < m; l++) {
      const [i, j, e, r] = [from[l] * d, to[l] * d, l * d, gamma * weights[l]];
      let size = 0;
      for (let k = 0; k < d; k++) {
        Y[e + k] = Z[e + k] + sigma * (U[i + k] - U[j + k] + t * (step[i + k] - step[j + k]));
        size += Y[e + k] ** 2;
      }
      size = Math.sqrt(size);
      sizes[l] = size;
      value += (size <= r ? (size * size) / 2 : r * size - (r * r) / 2) / sigma;
      const share = size <= r ? 1 : r / size;
      for (let k = 0; k < d; k++) {
        P[e + k] = share * Y[e + k];
        gradient[i + k] += P[e + k];
        gradient[j + k] -= P[e + k];
      }
    }
    return value;
  }

  /** image = (I + sigma D' P' D) along, P' = I inside the ball and r/|y| (I - y y'/|y|^2) outside. */
  function multiply() {
    products++;
    image.set(along);
    for (let l = 0; l < m; l++) {
      const [i, j, e, r, size] = [from[l] * d, to[l] * d, l * d, gamma * weights[l], sizes[l]];
      let radial = 0;
      if (size > r) for (let k = 0; k < d; k++) radial += Y[e + k] * (along[i + k] - along[j + k]);
      const share = sigma * (size > r ? r / size : 1);
      radial = size > r ? radial / size ** 2 : 0;
      for (let k = 0; k < d; k++) {
        const flow = share * (along[i + k] - along[j + k] - radial * Y[e + k]);
        image[i + k] += flow;
        image[j + k] -= flow;
      }
    }
  }

  /** Conjugate gradients with the diagonal, until the residual is at most `wanted`. */
  function newton(wanted) {
    diagonal.fill(1);
    for (let l = 0; l < m; l++) {
      const [e, r, size] = [l * d, gamma * weights[l], sizes[l]];
      for (let k = 0; k < d; k++) {
        const own = sigma * (size > r ? (r / size) * (1 - (Y[e + k] / size) ** 2) : 1);
        diagonal[from[l] * d + k] += own;
        diagonal[to[l] * d + k] += own;
      }
    }
    step.fill(0);
    let before = 0;
    for (let p = 0; p < n * d; p++) {
      residual[p] = -gradient[p];
      along[p] = residual[p] / diagonal[p];
      before += residual[p] * along[p];
    }
    for (let round = 0; round < 500 && length(residual) > wanted; round++) {
      multiply();
      const share = before / dot(along, image);
      let after = 0;
      for (let p = 0; p < n * d; p++) {
        step[p] += share * along[p];
        residual[p] -= share * image[p];
        preconditioned[p] = residual[p] / diagonal[p];
        after += residual[p] * preconditioned[p];
      }
      for (let p = 0; p < n * d; p++) along[p] = preconditioned[p] + (after / before) * along[p];
      before = after;
    }
  }

  for (let last = Infinity; ;) {
    step.fill(0);
    let value = evaluate(0);
    // The inner problem, to a share of what the outer one still lacks.
    const enough = Math.max(1e-9 * length(X.data), 0.1 * Math.min(1, last));
    while (length(gradient) > enough && cpuSeconds(begun) < most) {
      const size = length(gradient);
      newton(Math.min(0.1, size ** 0.1) * Math.min(size, 1) * 0.5);
      const slope = dot(gradient, step);
      let t = 1;
      let next = evaluate(t);
      while (next > value + 1e-4 * t * slope + 1e-14 * Math.abs(value) && t > 1e-8) next = evaluate((t /= 2));
      for (let p = 0; p < n * d; p++) U[p] += t * step[p];
      value = next;
      steps++;
      if (t <= 1e-8) break;
    }
    let lack = 0;
    for (let q = 0; q < m * d; q++) lack += ((P[q] - Z[q]) / sigma) ** 2; // D U - V
    Z.set(P);
    const proof = certificate(
      { X, graph, norm },
      gamma,
      { rows: n, cols: d, data: U },
      { rows: m, cols: d, data: Z },
    );
    if (proof.relativeGap <= TOLERANCE || cpuSeconds(begun) >= most)
      return { certificate: proof, iterations: steps, products };
    lack = Math.sqrt(lack);
    if (lack > 0.3 * last) sigma *= 3;
    last = lack;
  }
}

function dot(a, b) {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}

function length(a) {
  return Math.sqrt(dot(a, a));
}
