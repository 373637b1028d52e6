/**
 * Sparse convex clustering (Sui 2018, (4.36)) with q = 2 or infinity, where no closed form is known. With one dual vector
 * y_f per feature, ||y_f|| <= r_f = gamma2 v_f and centred, the dual is
 *
 *     min over Y of phi(Y) = min_z 1/2 ||X - Y - D'z||^2 ,   grad phi(Y) = -U(X - Y),
 *
 * U(X - Y) the centres of plain convex clustering of X - Y. The gradient has Lipschitz constant 1, so
 * projected gradient steps Y <- proj(Y + U(X - Y)), accelerated with restarts (optimize/acceleration.ts), need
 * one plain solve each. With masses all norms and means are weighted by
 * them.
 */
import { matrix, type Matrix } from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { columnSizes } from "./means.ts";
import type { ConvexProblem, ConvexSolution, Solve } from "./problem.ts";

export interface SccDual {
  /** For the last plain problem, X - Y. */
  readonly plain: ConvexSolution;
  readonly Y: Matrix;
  /** 0 for a feature that lies entirely inside its ball: it vanishes. */
  readonly kept: Uint8Array;
  readonly steps: number;
}

/** @param done decides from centres, edge duals and the kept features whether they are good enough */
export function sccDual(
  problem: ConvexProblem,
  { gamma, radii, tolerance }: { gamma: number; radii: Float64Array; tolerance: number },
  start: { readonly plain: ConvexSolution; readonly Y?: Matrix },
  solve: Solve,
  done: (found: SccDual) => boolean,
): SccDual {
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const first = start.Y === undefined ? matrix(n, d) : projected(start.Y, radii, masses).Y;
  const run = acceleration(first.data);
  let plain = start.plain;
  for (let steps = 1; ; steps++) {
    const shifted = mapped(X, (x, p) => x - run.ahead[p]);
    plain = solve({ ...problem, X: shifted }, { gamma, tolerance, start: plain });
    const moved = mapped(plain.U, (u, p) => run.ahead[p] + u);
    const { Y: next, kept } = projected(moved, radii, masses);
    const found: SccDual = { plain, Y: next, kept, steps };
    if (steps === MOST_STEPS || done(found)) return found;
    run.advance(next.data);
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
