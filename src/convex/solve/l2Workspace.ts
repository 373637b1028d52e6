/**
 * One step of the method of multipliers: the problem, its penalty smoothed around multipliers y0 (SSNAL of Sun, Toh and
 * Yuan, JMLR 22, 2021, in the primal variable), for any U, gamma and eps,
 *
 *     F(U) = 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma eps / 2 sum_l w_l (||y_l||^2 - max(0, ||y_l|| - 1)^2) ,
 *     y_l = y0_l + (u_i - u_j) / eps
 *
 * With y0 = 0 this is Huber's penalty of width eps. The edge forces z_l = gamma w_l y_l min(1, 1 / ||y_l||)
 * are dual feasible for the problem itself for every U, so every iterate can be certified.
 */
import type { Layout } from "./l2Layout.ts";

/**
 * Maximum number of conjugate gradient steps for one direction; an inexact direction is still a descent
 * direction.
 */
const MAX_STEPS = 500;

export function workspace(layout: Layout) {
  const { kernel, problem, work, C } = layout;
  const { P, Q, R, S, V, out } = work;
  const run = kernel.exports;
  let [here, there] = layout.points;
  let gamma = 0;
  let eps = 1;
  let count = 0;

  return {
    /** F(U); every other method refers to the U, gamma and eps of the last evaluation. */
    evaluate(newGamma: number, newEps: number) {
      gamma = newGamma;
      eps = newEps;
      return run.evaluate(problem, here.address, gamma, eps);
    },
    /**
     * 1/2 sum_i g_i' B^-1 g_i / m_i for the gradient g: the part of the gap that comes from U not minimising
     * F.
     */
    residual: () => run.residual(problem, here.address),
    /** Joins the nodes over edges that are not saturated or no longer than `reach`; returns the number of groups. */
    group(reach: number) {
      count = run.groups(problem, here.address, reach);
      return count;
    },
    /** Sets the centres to the groups' means and certifies them with the forces at U. */
    certify() {
      run.fuse(problem, here.address, count);
      run.edgeSlack(problem, here.address, gamma, eps, out);
      const [penalty, edgeSlack] = kernel.f64(out, 2);
      run.nodeSlack(problem, here.address, out);
      const [fidelity, nodeSlack] = kernel.f64(out, 2);
      return { primal: fidelity + penalty, gap: nodeSlack + edgeSlack };
    },
    /**
     * U := centres + factor (U - centres): with eps scaled by the same factor, forces inside groups stay
     * constant if y0 = 0.
     */
    rescale(factor: number) {
      run.combine(problem, here.U, -1, C, here.U);
      run.combine(problem, C, factor, here.U, here.U);
    },
    /**
     * y0 := z / (gamma w), and U := centres, which keeps the forces inside the groups. For another gamma,
     * `ratio` is new / old. Edges longer than `far` need no multiplier.
     */
    recentre(far: number, ratio: number) {
      run.recentre(problem, here.address, eps, far, ratio);
      run.combine(problem, C, 0, C, here.U);
    },
    /**
     * Newton direction by conjugate gradients, preconditioned on nodes and groups, to a residual of `forcing`
     * times the gradient; radial < 1 stiffens long edges along their length. Returns the derivative of F along
     * it.
     */
    direction(radial: number, forcing: number) {
      run.stiffnesses(problem, here.address, radial, count);
      run.combine(problem, here.G, -1, here.G, P);
      run.combine(problem, P, -1, here.G, R);
      let energy = run.precondition(problem, count, R, S);
      if (energy === 0) return 0; // the gradient is zero, and the direction
      run.combine(problem, S, 0, S, V);
      const stop = forcing ** 2 * run.inner(problem, R, R);
      for (let step = 0; step < MAX_STEPS; step++) {
        run.hessianProduct(problem, here.address, eps, radial, V, Q);
        const alpha = energy / run.inner(problem, V, Q);
        if (run.advance(problem, alpha, V, Q, P, R) <= stop) break;
        const next = run.precondition(problem, count, R, S);
        run.combine(problem, S, next / energy, V, V);
        energy = next;
      }
      return run.inner(problem, here.G, P);
    },
    /** F and its derivative at U + t direction. */
    probe(t: number) {
      run.combine(problem, here.U, t, P, there.U);
      const value = run.evaluate(problem, there.address, gamma, eps);
      return { value, slope: run.inner(problem, there.G, P) };
    },
    /** U := the point of the last probe. */
    accept() {
      [here, there] = [there, here];
    },
    setPoint: (U: Float64Array) => layout.write(here.U, U),
    /** y0_l := factor(l) z_l */
    setMultipliers: (Z: Float64Array, factor: (edge: number) => number) => layout.writeMultipliers(Z, factor),
    /** z at U, m x d. */
    forces: () => layout.readForces(here, eps),
    /** The centres that were certified last, n x d. */
    centres: () => layout.read(C),
    /** The group of each node. */
    labels: () => layout.labels(),
  };
}

export type Workspace = ReturnType<typeof workspace>;
