/**
 * Sparse convex clustering (B. Wang et al. 2018; Sui 2018, (4.36)),
 *
 *     min_U 1/2 ||X - U||^2 + gamma sum_l w_l ||u_i - u_j||_q + gamma2 sum_f v_f ||a_f||_2 ,
 *
 * a_f the centred column f of U. With q = 1, total variation is positively homogeneous and invariant to
 * constants, so the proximal map of the sum is the proximal map of total variation followed by group
 * shrinkage: a_f is the column of convex clustering times max(0, 1 - gamma2 v_f / ||a_f||). Features either
 * keep their shape or vanish. With q = 2 or infinity the features are coupled. For q = 2, `plainSolves` solves
 * the dual by a sequence of plain problems, whose Newton method is fast. For infinity the plain problem is
 * itself an ascent, and linf.ts includes the shrinkage in its steps.
 *
 * The text does not specify v_f; adaptive means v_f = 1 / ||a_f|| of the fit with gamma2 = 0, so that a
 * feature vanishes when ||a_f||^2 <= gamma2.
 */
import { inputError, optionError } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { edgeTerms, gapUnit, proofOf } from "./certificate.ts";
import { solveFeatures } from "./features.ts";
import { ascend } from "./linf.ts";
import { columnSizes } from "./means.ts";
import {
  checkProblem,
  type Certificate,
  type ConvexProblem,
  type ConvexSolution,
  type Solve,
  type SolveOptions,
} from "./problem.ts";
import { fusedEdges, solutionOf } from "./solution.ts";

export interface SccOptions extends Omit<SolveOptions, "maxIterations"> {
  readonly gamma2: number;
  /** v_f; "adaptive" unless given. */
  readonly featureWeights?: "adaptive" | Float64Array;
  readonly start?: SccSolution;
}

export interface SccSolution extends ConvexSolution {
  readonly gamma2: number;
  /** v_f; Infinity for a feature that is constant even without the sparsity term. */
  readonly featureWeights: Float64Array;
  /** max(0, 1 - gamma2 v_f / ||a_f||) per feature; 0 for dropped features. */
  readonly factors: Float64Array;
  /** The centres with gamma2 = 0, for a warm start. */
  readonly unshrunk: Matrix;
  /** With q = 2 or infinity: the plain problem with gamma2 = 0, the last one, and with q = 2 the features' duals. */
  readonly coupled?: { readonly first: ConvexSolution; readonly last: ConvexSolution; readonly Y?: Matrix };
}

/** @param solve solves the plain problems that q = 2 and infinity take */
export function sparseCenters(problem: ConvexProblem, options: SccOptions, solve: Solve): SccSolution {
  const { gamma, gamma2, tolerance = 1e-6, start, featureWeights: wanted = "adaptive" } = options;
  checkProblem(problem, gamma);
  if (!(gamma2 >= 0 && gamma2 < Infinity)) {
    throw optionError(`gamma2 must be a finite number of at least 0, got ${gamma2}`);
  }
  if (problem.metric !== undefined) throw optionError("sparse convex clustering has no metric");

  const d = problem.X.cols;
  if (wanted !== "adaptive") checkFeatureWeights(wanted, d);
  if (problem.norm !== 1) return solveCoupled(problem, options, solve);
  const { U: unshrunk, Z } = solveFeatures(
    problem,
    new Float64Array(d).fill(gamma),
    start === undefined ? undefined : { U: start.unshrunk, Z: start.Z },
  );
  const { means, norms } = columnSizes(unshrunk, problem.masses);
  const featureWeights = wanted === "adaptive" ? norms.map((norm) => 1 / norm) : wanted;
  const factors = norms.map((norm, f) =>
    norm > 0 ? Math.max(0, 1 - (gamma2 * featureWeights[f]) / norm) : 0,
  );
  const U = mapped(unshrunk, (value, p) => {
    const f = p % d;
    return factors[f] === 1 ? value : means[f] + factors[f] * (value - means[f]);
  });
  const penalties = featureWeights.map((v, f) => (norms[f] > 0 ? gamma2 * v : 0));
  const proof = sccCertificate(problem, gamma, penalties, U, Z);
  const solution = solutionOf(problem, { gamma, U, Z, iterations: 1, proof }, tolerance);
  return { ...solution, gamma2, featureWeights, factors, unshrunk };
}

/** q = 2 or infinity. A feature that vanishes is set to its mean, and the proof applies to that. */
function solveCoupled(
  problem: ConvexProblem,
  { gamma, gamma2, tolerance = 1e-6, start, featureWeights: wanted = "adaptive" }: SccOptions,
  solve: Solve,
): SccSolution {
  const known = start?.coupled;
  const first = solve(problem, {
    gamma,
    tolerance: tolerance / 4,
    ...(known !== undefined && { start: known.first }),
  });
  const { norms } = columnSizes(first.U, problem.masses);
  const { means, norms: sizes } = columnSizes(problem.X, problem.masses);
  const featureWeights = wanted === "adaptive" ? norms.map((norm) => 1 / norm) : wanted;
  // Every radius beyond the size of a column makes it vanish.
  const radii = featureWeights.map((v, f) => (gamma2 === 0 ? 0 : Math.min(gamma2 * v, 2 * sizes[f])));
  const coupled = { gamma, radii, means, tolerance };
  const { U, Z, proof, fused, kept, steps, last, Y } =
    problem.norm === "inf"
      ? shrinkingAscent(problem, coupled, known?.last ?? first)
      : plainSolves(
          problem,
          coupled,
          known === undefined ? { plain: first } : { plain: known.last, Y: known.Y },
          solve,
        );
  const left = columnSizes(U, problem.masses).norms;
  return {
    gamma,
    gamma2,
    U,
    Z,
    certificate: proof,
    converged: proof.relativeGap <= tolerance,
    iterations: steps,
    fused,
    featureWeights,
    factors: left.map((norm, f) => (kept[f] === 1 && norms[f] > 0 ? Math.min(1, norm / norms[f]) : 0)),
    unshrunk: first.U,
    coupled: { first, last, ...(Y !== undefined && { Y }) },
  };
}

interface Coupled {
  readonly gamma: number;
  readonly radii: Float64Array;
  /** For the columns of X. */
  readonly means: Float64Array;
  readonly tolerance: number;
}

interface CoupledSolution {
  readonly U: Matrix;
  readonly Z: Matrix;
  readonly proof: Certificate;
  readonly fused: Uint8Array;
  readonly kept: Uint8Array;
  readonly steps: number;
  /** From which a warm start continues. */
  readonly last: ConvexSolution;
  readonly Y?: Matrix;
}

/**
 * The dual with q = 2: with one vector y_f per feature, ||y_f|| <= r_f = gamma2 v_f and centred, it is
 *
 *     min over Y of phi(Y) = min_z 1/2 ||X - Y - D'z||^2 ,   grad phi(Y) = -U(X - Y),
 *
 * U(X - Y) the centres of plain convex clustering of X - Y. The gradient has Lipschitz constant 1, so
 * projected gradient steps Y <- proj(Y + U(X - Y)), accelerated with restarts (optimize/acceleration.ts), need
 * one plain solve each. With masses all norms and means are weighted by them. A feature that lies entirely inside
 * its ball vanishes.
 */
function plainSolves(
  problem: ConvexProblem,
  { gamma, radii, means, tolerance }: Coupled,
  start: { readonly plain: ConvexSolution; readonly Y?: Matrix },
  solve: Solve,
): CoupledSolution {
  const { X, masses } = problem;
  const d = X.cols;
  const first = start.Y === undefined ? matrix(X.rows, d) : projected(start.Y, radii, masses).Y;
  const run = acceleration(first.data);
  let last = start.plain;
  for (let steps = 1; ; steps++) {
    const shifted = mapped(X, (x, p) => x - run.ahead[p]);
    last = solve({ ...problem, X: shifted }, { gamma, tolerance: tolerance / 4, start: last });
    const moved = mapped(last.U, (u, p) => run.ahead[p] + u);
    const { Y, kept } = projected(moved, radii, masses);
    const U = mapped(last.U, (value, p) => (kept[p % d] === 1 ? value : means[p % d]));
    const proof = sccCertificate(problem, gamma, radii, U, last.Z, Y);
    if (steps === MOST_STEPS || proof.relativeGap <= tolerance) {
      const equal = fusedEdges(problem.graph, U);
      return { U, Z: last.Z, proof, fused: last.fused.map((one, e) => one | equal[e]), kept, steps, last, Y };
    }
    run.advance(Y.data);
  }
}

const MOST_STEPS = 1000;

/** The centred columns, each shortened to its radius. */
function projected(M: Matrix, radii: Float64Array, masses: Float64Array | undefined) {
  const d = M.cols;
  const { means, norms } = columnSizes(M, masses);
  const factors = norms.map((size, f) => (size > radii[f] ? radii[f] / size : 1));
  return {
    Y: mapped(M, (value, p) => factors[p % d] * (value - means[p % d])),
    kept: Uint8Array.from(norms, (size, f) => (size > radii[f] ? 1 : 0)),
  };
}

/** The proximal map of the features' term is a shrinkage of each centred column; what it takes away is the dual y_f. */
function shrinkingAscent(
  problem: ConvexProblem,
  { gamma, radii, means, tolerance }: Coupled,
  start: ConvexSolution,
): CoupledSolution {
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const Y = matrix(n, d);
  const kept = new Uint8Array(d);
  const shrink = (U: Matrix): void => {
    const { norms } = columnSizes(U, masses, means);
    const factors = norms.map((norm, f) => Math.max(0, 1 - radii[f] / norm) || 0);
    kept.set(factors.map((factor) => (factor > 0 ? 1 : 0)));
    for (let p = 0; p < n * d; p++) {
      const f = p % d;
      const u = U.data[p];
      U.data[p] = means[f] + factors[f] * (u - means[f]);
      Y.data[p] = u - U.data[p];
    }
  };
  const last = ascend(
    problem,
    { gamma, tolerance, start },
    { shrink, prove: (U, Z) => sccCertificate(problem, gamma, radii, U, Z, Y) },
  );
  const { U, Z, certificate: proof, fused, iterations: steps } = last;
  return { U, Z, proof, fused, kept, steps, last };
}

function checkFeatureWeights(weights: Float64Array, d: number): void {
  if (weights.length !== d) throw inputError(`featureWeights: ${d} values needed, got ${weights.length}`);
  for (let f = 0; f < d; f++) {
    if (!(weights[f] >= 0 && weights[f] < Infinity)) {
      throw inputError(
        `featureWeights: feature ${f} has ${weights[f]}; values must be finite and at least 0`,
      );
    }
  }
}

/**
 * The gap of the sparse problem. Besides the flows z its dual has a vector y_f per feature, sum_i y_fi = 0
 * and ||y_f|| <= gamma2 v_f: the given one, or the residual of convex clustering, clipped to that ball. All
 * terms are at least zero:
 *
 *     gap = sum_f ( 1/2 ||u_f - x_f + g_f + y_f||^2 + gamma2 v_f ||a_f|| - y_f'u_f ) + the edges' terms
 */
function sccCertificate(
  problem: ConvexProblem,
  gamma: number,
  penalties: Float64Array,
  U: Matrix,
  Z: Matrix,
  Y?: Matrix,
): Certificate {
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const { means, norms } = columnSizes(U, problem.masses);
  const mass = (i: number): number => (masses === undefined ? 1 : masses[i]);
  const { penalty, slack: edgeGap, outflow } = edgeTerms(problem, gamma, U, Z);
  const slack = new Float64Array(n); // m (u - x) + outflow
  let primal = penalty;
  let gap = edgeGap;
  for (let f = 0; f < d; f++) {
    for (let i = 0; i < n; i++) {
      const residual = U.data[i * d + f] - X.data[i * d + f];
      slack[i] = mass(i) * residual + outflow[i * d + f];
      primal += 0.5 * mass(i) * residual ** 2;
    }
    let total = 0;
    let totalMass = 0;
    for (let i = 0; i < n; i++) {
      total += slack[i];
      totalMass += mass(i);
    }
    let size = 0;
    for (let i = 0; i < n; i++) size += (slack[i] - (mass(i) * total) / totalMass) ** 2 / mass(i);
    const clip = Math.min(1, penalties[f] / Math.sqrt(size)) || 0;
    let inner = 0;
    for (let i = 0; i < n; i++) {
      const y =
        Y === undefined || norms[f] === 0
          ? -clip * (slack[i] - (mass(i) * total) / totalMass)
          : mass(i) * Y.data[i * d + f];
      gap += (0.5 / mass(i)) * (slack[i] + y) ** 2;
      inner += y * (U.data[i * d + f] - means[f]);
    }
    primal += penalties[f] * norms[f];
    gap += Math.max(0, penalties[f] * norms[f] - inner);
  }
  return proofOf(primal, gap, gapUnit(problem));
}
