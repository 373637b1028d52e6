import { multiply, takeRows, type Matrix } from "../matrix/index.ts";
import { placingOf, placingRule, type Proposal } from "../method/index.ts";
import { clusterMeans } from "../method/internal.ts";

/**
 * Number of stored rows that vote; folds for the choice between rules; the gain that a rule needs over a
 * simpler one.
 */
const NEIGHBORS = 7;
const FOLDS = 5;
const WORTH_IT = 0.01;

/**
 * The rule for new rows, from rows with known clusters: the nearest centre or the nearest rows, under one of
 * the maps, whichever does best on held-out rows; simpler ones first. Rows that hints place differently from
 * the centres are exceptions.
 *
 * @param maps columns of X x coordinates
 */
export function choosePlacing(X: Matrix, labels: Int32Array, K: number, maps: readonly Matrix[]): Proposal {
  let best: { map: Matrix; kind: Proposal["kind"]; right: number } | undefined;
  for (const kind of ["centers", "rows"] as const) {
    for (const map of maps) {
      const right = heldOut(multiply(X, map), labels, K, kind);
      if (best === undefined || right > best.right + WORTH_IT) best = { map, kind, right };
    }
  }
  return proposalOf(X, labels, K, best!.kind as "centers" | "rows", best!.map);
}

function proposalOf(
  X: Matrix,
  labels: Int32Array,
  K: number,
  kind: "centers" | "rows",
  map?: Matrix,
): Proposal {
  const given = map === undefined ? {} : { map };
  return kind === "centers"
    ? { kind, centers: clusterMeans(X, labels, K), exceptions: true, ...given }
    : { kind, neighbors: NEIGHBORS, ...given };
}

/** Share of held-out rows that a rule places correctly. */
function heldOut(Z: Matrix, labels: Int32Array, K: number, kind: "centers" | "rows"): number {
  const folds = Math.min(FOLDS, Z.rows);
  if (folds < 2) return 1;
  let right = 0;
  for (let fold = 0; fold < folds; fold++) {
    const inside: number[] = [];
    const outside: number[] = [];
    for (let i = 0; i < Z.rows; i++) (i % folds === fold ? outside : inside).push(i);
    const own = Int32Array.from(inside, (i) => labels[i]);
    const part = takeRows(Z, inside);
    const rule = placingRule(part, own, K, proposalOf(part, own, K, kind));
    placingOf(rule)(takeRows(Z, outside)).labels.forEach(
      (label, p) => (right += Number(label === labels[outside[p]])),
    );
  }
  return right / Z.rows;
}
