/**
 * Robust convex clustering (Q. Wang et al. 2016; Sui et al. 2018, (6)-(7)) with the L1 norm,
 *
 *     min_U,Q 1/2 ||X - U - Q||^2 + gamma sum_l w_l ||u_i - u_j||_1 + beta sum_f ||Q_f||_2 ,
 *
 * one robust component Q_f per feature f. Minimised over Q it is a sum over features of a group-Huber loss h(r_f) and a
 * total variation, r_f = ||x_f - u_f||, h(r) = r^2/2 up to beta and beta r - beta^2/2 beyond. Its optimality conditions
 * are those of plain total variation with
 *
 *     gamma_f = gamma max(1, r_f / beta) ,
 *
 * a fixed point per feature. r(g) increases with g and r(g)/g decreases (a property of every proximal map),
 * so the fixed point is bracketed; with fixed levels, r(g)^2 = V + g^2 S exactly (V the variance inside
 * levels), which gives the fixed point in closed form, and the levels settle after a few solves.
 */
import { optionError } from "../../core/internal.ts";
import type { TotalVariation } from "../../graph/index.ts";
import { withTotalVariation } from "../../graph/internal.ts";
import { edgeSums, matrix, transpose, type Matrix } from "../../matrix/index.ts";
import { gapUnit, proofOf } from "./certificate.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";
import { solutionOf } from "./solution.ts";

export interface RccOptions extends SolveOptions {
  /** Residual norm of a feature above which the excess goes to the robust component. */
  readonly beta: number;
  /**
   * If a point represents several rows: the sum of squares S_f of feature f's rows around their points. It
   * belongs to the residual, r_f^2 = S_f + sum_i m_i (x_if - u_if)^2, although it does not depend on U.
   */
  readonly scatter?: Float64Array;
  readonly start?: RccSolution;
}

export interface RccSolution extends ConvexSolution {
  readonly beta: number;
  /** gamma_f, the gamma that feature f is effectively clustered with. */
  readonly gammas: Float64Array;
  /** max(0, 1 - beta / r_f): the share of its residual that feature f puts in Q; 0 for trusted features. */
  readonly robustShares: Float64Array;
  /** With the loss of cells (recipe/huber.ts): what it forgives in each of them. */
  readonly outlying?: Matrix;
}

/** `maxIterations` bounds the total variations per feature; `iterations` is the maximum over the features. */
export function solveRcc(problem: ConvexProblem, options: RccOptions): RccSolution {
  const { gamma, beta, tolerance = 1e-6, start, maxIterations = 100, scatter } = options;
  checkProblem(problem, gamma);
  if (!(beta > 0 && beta < Infinity)) throw optionError(`beta must be a finite number above 0, got ${beta}`);
  if (problem.norm !== 1) throw optionError(`robust convex clustering needs norm 1, got ${problem.norm}`);
  if (problem.metric !== undefined) throw optionError("robust convex clustering has no metric");

  const { X, graph, masses } = problem;
  const [n, d, m] = [X.rows, X.cols, graph.from.length];
  const x = transpose(X).data;
  const u = start === undefined ? new Float64Array(d * n) : transpose(start.U).data;
  const z = start === undefined ? new Float64Array(d * m) : transpose(start.Z).data;
  const gammas = new Float64Array(d).fill(gamma);
  let iterations = 0;
  withTotalVariation(graph, masses, 1, (tv) => {
    for (let f = 0; f < d; f++) {
      const feature: Feature = {
        masses,
        y: x.subarray(f * n, (f + 1) * n),
        u: u.subarray(f * n, (f + 1) * n),
        flows: z.subarray(f * m, (f + 1) * m),
        levels: new Int32Array(n),
        scatter: scatter?.[f] ?? 0,
      };
      // Far from the origin u would be too coarse to resolve r between steps.
      const origin = gamma > 0 ? feature.y[0] : 0;
      shift(feature.y, -origin);
      shift(feature.u, -origin);
      if (start !== undefined) {
        gammas[f] = Math.max(gamma, (start.gammas[f] / start.gamma) * gamma || gamma);
        scale(feature.flows, start.gammas[f] / start.gamma || 0);
      }
      const result = fixedPoint(tv, feature, gamma, beta, gammas[f], start !== undefined, maxIterations);
      gammas[f] = result.gamma;
      iterations = Math.max(iterations, result.solves);
      scale(feature.flows, result.gamma > 0 ? gamma / result.gamma : 0);
      shift(feature.u, origin);
    }
  });
  const U = transpose(matrix(d, n, u));
  const Z = transpose(matrix(d, m, z));
  const { proof, robustShares } = rccCertificate(problem, gamma, beta, scatter, U, Z);
  return {
    ...solutionOf(problem, { gamma, U, Z, iterations, proof }, tolerance),
    beta,
    gammas,
    robustShares,
  };
}

interface Feature {
  readonly masses: Float64Array | undefined;
  readonly y: Float64Array;
  readonly u: Float64Array;
  readonly flows: Float64Array;
  readonly levels: Int32Array;
  readonly scatter: number;
}

/** Solves g = gamma max(1, r(g) / beta) from a first guess of g; leaves u and flows at the solution. */
function fixedPoint(
  tv: TotalVariation,
  feature: Feature,
  gamma: number,
  beta: number,
  guess: number,
  warm: boolean,
  maxSolves: number,
) {
  // r never exceeds the deviation from the mean, its limit on a connected graph.
  const mostResidual = Math.sqrt(
    residuals({ ...feature, levels: new Int32Array(feature.y.length) }, 1).within,
  );
  let low = gamma;
  let high = gamma * Math.max(1, mostResidual / beta) * (1 + 1e-9);
  let g = Math.min(guess, high);
  for (let solves = 1; ; solves++) {
    const [count] = tv.solve({ ...feature, gammas: Float64Array.of(g), warm: warm || solves > 1 });
    const { square, within } = residuals(feature, count);
    const wanted = gamma * Math.max(1, Math.sqrt(square) / beta);
    if (Math.abs(wanted - g) <= 1e-12 * g || solves >= maxSolves) return { gamma: g, solves };
    if (wanted > g) low = g;
    else high = g;
    // (beta / gamma)^2 g^2 = V + g^2 S
    const slope = (beta / gamma) ** 2 - (square - within) / (g * g);
    const next = slope > 0 ? Math.max(gamma, Math.sqrt(within / slope)) : Infinity;
    const previous = g;
    g = next >= low && next <= high ? next : Math.sqrt(low * high);
    if (g === previous) return { gamma: g, solves };
  }
}

/** ||x - u||^2 and its part V inside the levels. */
function residuals(feature: Feature, count: number) {
  const { y: x, u, masses, levels, scatter } = feature;
  const means = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let i = 0; i < x.length; i++) {
    const mass = masses === undefined ? 1 : masses[i];
    weights[levels[i]] += mass;
    means[levels[i]] += (mass * (x[i] - means[levels[i]])) / weights[levels[i]];
  }
  let square = scatter;
  let within = scatter;
  for (let i = 0; i < x.length; i++) {
    const mass = masses === undefined ? 1 : masses[i];
    square += mass * (x[i] - u[i]) ** 2;
    within += mass * (x[i] - means[levels[i]]) ** 2;
  }
  return { square, within };
}

/**
 * The gap of the robust problem. Its dual is that of convex clustering with ||g_f|| <= beta for each feature, g_f the net
 * outflow. With y = x_f - u_f = p + q, q the robust component, all terms are at least zero:
 *
 *     gap = sum_f ( 1/2 ||p - g||^2 + beta ||q|| - q'g ) + sum_l ( gamma w_l |u_i - u_j| - z_l (u_i - u_j) )
 *
 * If points represent rows, the flow between the rows of a point is free (their edges have infinite weight),
 * and takes g to p inside the point: the scatter then adds nothing to the first term, and its share to ||g||
 * and q'g.
 */
function rccCertificate(
  problem: ConvexProblem,
  gamma: number,
  beta: number,
  scatter: Float64Array | undefined,
  U: Matrix,
  Z: Matrix,
) {
  const { X, graph, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const robustShares = new Float64Array(d);
  const outflow = edgeSums(n, Z, graph.from, graph.to).data;
  const mass = (i: number): number => (masses === undefined ? 1 : masses[i]);
  let primal = 0;
  let gap = 0;
  for (let f = 0; f < d; f++) {
    const inside = scatter?.[f] ?? 0;
    let size = 0;
    let square = inside;
    for (let i = 0; i < n; i++) {
      size += outflow[i * d + f] ** 2 / mass(i);
      square += mass(i) * (X.data[i * d + f] - U.data[i * d + f]) ** 2;
    }
    const r = Math.sqrt(square);
    robustShares[f] = Math.max(0, 1 - beta / r);
    const trusted = 1 - robustShares[f];
    size += trusted ** 2 * inside;
    const shrink = Math.min(1, beta / Math.sqrt(size)); // makes the dual feasible where rounding left the ball
    gap += 0.5 * (trusted * (1 - shrink)) ** 2 * inside;
    primal += r <= beta ? square / 2 : beta * r - beta ** 2 / 2;
    let inner = robustShares[f] * trusted * shrink * inside;
    for (let i = 0; i < n; i++) {
      const y = X.data[i * d + f] - U.data[i * d + f];
      const g = shrink * outflow[i * d + f];
      gap += (0.5 / mass(i)) * ((1 - robustShares[f]) * mass(i) * y - g) ** 2;
      inner += robustShares[f] * y * g;
    }
    gap += Math.max(0, beta * robustShares[f] * r - inner);
    for (let e = 0; e < graph.from.length; e++) {
      const difference = U.data[graph.from[e] * d + f] - U.data[graph.to[e] * d + f];
      const c = gamma * graph.weights[e];
      const z = Math.max(-c, Math.min(c, shrink * Z.data[e * d + f]));
      primal += c * Math.abs(difference);
      gap += c * Math.abs(difference) - z * difference;
    }
  }
  return { proof: proofOf(primal, gap, gapUnit(problem)), robustShares };
}

function scale(values: Float64Array, factor: number): void {
  for (let i = 0; i < values.length; i++) values[i] *= factor;
}

function shift(values: Float64Array, by: number): void {
  for (let i = 0; i < values.length; i++) values[i] += by;
}
