/**
 * The smoothed problem, evaluated for any U, gamma and eps:
 *
 *     F_eps(U) = 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l h_eps(||u_i - u_j||) ,
 *     h_eps(t) = t^2 / (2 eps) for t <= eps, t - eps / 2 above (Huber)
 *
 * Its edge forces z_l = gamma w_l (u_i - u_j) / max(eps, ||u_i - u_j||) are dual feasible for the problem without
 * smoothing, whatever U is, so that every iterate can be certified. Nothing here is larger than n x d or m.
 */
import type { Layout } from "./l2Layout.ts";

export interface Workspace {
  /** F_eps(U); every other method refers to the U, gamma and eps of the last evaluation. */
  evaluate(gamma: number, eps: number): number;
  /** 1/2 sum_i g_i' B^-1 g_i / m_i for the gradient g: the part of the gap that is due to U not minimising F_eps. */
  residual(): number;
  /** Joins the nodes over edges no longer than `reach`; returns the number of groups. */
  group(reach: number): number;
  /** Sets the centres to the groups' means and certifies them with the forces at U. */
  certify(): { primal: number; gap: number };
  /** U := centres + factor (U - centres): with eps scaled alike, the forces inside the groups stay as they are. */
  rescale(factor: number): void;
  /**
   * Newton direction by conjugate gradients, preconditioned on nodes and groups, to a residual of `forcing` times the
   * gradient; radial < 1 stiffens long edges lengthwise. Returns the derivative of F_eps along it.
   */
  direction(radial: number, forcing: number): number;
  /** F_eps and its derivative at U + t direction. */
  probe(t: number): { value: number; slope: number };
  /** U := the point of the last probe. */
  accept(): void;
  setPoint(U: Float64Array): void;
  getPoint(): Float64Array;
  /** The centres that were certified last, n x d. */
  centres(): Float64Array;
  /** The group of each node. */
  labels(): Int32Array;
}

/** Conjugate gradient steps for one direction; an inexact direction is still one of descent. */
const MAX_STEPS = 500;

export function workspace(layout: Layout): Workspace {
  const { kernel, problem, work, C } = layout;
  const { P, Q, R, S, V, out } = work;
  const run = kernel.exports;
  let [here, there] = layout.points;
  let gamma = 0;
  let eps = 1;
  let count = 0;

  return {
    evaluate(newGamma, newEps) {
      gamma = newGamma;
      eps = newEps;
      return run.evaluate(problem, here.address, gamma, eps);
    },
    residual: () => run.residual(problem, here.address),
    group(reach) {
      count = run.groups(problem, here.address, reach);
      return count;
    },
    certify() {
      run.fuse(problem, here.address, count);
      run.edgeSlack(problem, here.address, gamma, out);
      const [penalty, edgeSlack] = kernel.f64(out, 2);
      run.nodeSlack(problem, here.address, out);
      const [fidelity, nodeSlack] = kernel.f64(out, 2);
      return { primal: fidelity + penalty, gap: nodeSlack + edgeSlack };
    },
    rescale(factor) {
      run.combine(problem, here.U, -1, C, here.U);
      run.combine(problem, C, factor, here.U, here.U);
    },
    direction(radial, forcing) {
      run.stiffnesses(problem, here.address, radial, count);
      run.combine(problem, here.G, -1, here.G, P);
      run.combine(problem, P, -1, here.G, R);
      let energy = run.precondition(problem, count, R, S);
      run.combine(problem, S, 0, S, V);
      const stop = forcing ** 2 * run.inner(problem, R, R);
      for (let step = 0; step < MAX_STEPS; step++) {
        run.hessianProduct(problem, here.address, radial, V, Q);
        const alpha = energy / run.inner(problem, V, Q);
        if (run.advance(problem, alpha, V, Q, P, R) <= stop) break;
        const next = run.precondition(problem, count, R, S);
        run.combine(problem, S, next / energy, V, V);
        energy = next;
      }
      return run.inner(problem, here.G, P);
    },
    probe(t) {
      run.combine(problem, here.U, t, P, there.U);
      const value = run.evaluate(problem, there.address, gamma, eps);
      return { value, slope: run.inner(problem, there.G, P) };
    },
    accept() {
      [here, there] = [there, here];
    },
    setPoint: (U) => layout.write(here.U, U),
    getPoint: () => layout.read(here.U),
    centres: () => layout.read(C),
    labels: () => layout.labels(),
  };
}
