import type { Matrix } from "kindred/matrix";
import { encodeLabels, type Labeling } from "kindred/score";
import { applyDiscretization, discretize, information, informationMatrix } from "kindred/select";

/** Differences below are rounding. */
const TIE = 1e-12;

/** The weight of the edge between two vertices: features by their number, and the class. */
type Weight = (u: number, v: number) => number;
const CLASS = -1;

/**
 * Algorithm 3 of Sui (2018) as printed except for line 11, which must store weight(T2) - weight(T1): every
 * feature is a candidate, constant or not, the first of equal ones wins, and it continues to k features in
 * any case.
 */
export function textChowLiu(X: Matrix, labels: Labeling, k: number): Int32Array {
  const d = X.cols;
  const pairs = informationMatrix(X);
  const { codes: classes } = encodeLabels(labels);
  const { codes, rows } = applyDiscretization(discretize(X), X);
  const relevance = Float64Array.from({ length: d }, (_, i) =>
    information(codes.subarray(i * rows, (i + 1) * rows), classes),
  );
  const weight: Weight = (u, v) => (u === CLASS ? relevance[v] : pairs.data[u * d + v]);
  const selected: number[] = [];
  while (selected.length < k) {
    const T1 = spanningTree(selected, weight);
    const T2 = spanningTree([CLASS, ...selected], weight);
    let next = -1;
    let most = -Infinity;
    for (let i = 0; i < d; i++) {
      if (selected.includes(i)) continue;
      const gain = increase(T2, i, weight) - increase(T1, i, weight);
      if (gain <= most + TIE) continue;
      most = gain;
      next = i;
    }
    selected.push(next);
  }
  return Int32Array.from(selected);
}

interface TreeVertex {
  readonly vertex: number;
  /** Its parent's position in the tree; -1 for the first vertex. */
  readonly parent: number;
  /** Weight of the edge to the parent. */
  readonly weight: number;
}

/** Prim's maximum spanning tree; edges are requested with the earlier vertex first. */
function spanningTree(vertices: readonly number[], weight: Weight): TreeVertex[] {
  const tree: TreeVertex[] = [];
  const [first, ...rest] = vertices;
  if (first !== undefined) tree.push({ vertex: first, parent: -1, weight: 0 });
  let open = rest.map((vertex): TreeVertex => ({ vertex, parent: 0, weight: weight(first, vertex) }));
  while (open.length > 0) {
    const best = open.reduce((a, b) => (b.weight > a.weight ? b : a));
    const parent = tree.push(best) - 1;
    open = open
      .filter((one) => one !== best)
      .map((one) => {
        const w = weight(best.vertex, one.vertex);
        return w > one.weight ? { vertex: one.vertex, parent, weight: w } : one;
      });
  }
  return tree;
}

/**
 * The gain in tree weight from the vertex z (Chin and Houck 1978): from the leaves to the root, t is the best
 * path to z; the heavier of t and the edge to the parent stays, and the lighter one is offered to the parent.
 */
function increase(tree: readonly TreeVertex[], z: number, weight: Weight): number {
  const t = tree.map(({ vertex }) => weight(vertex, z));
  let sum = 0;
  for (let v = tree.length - 1; v > 0; v--) {
    const { parent, weight: w } = tree[v];
    sum += Math.max(t[v] - w, 0);
    t[parent] = Math.max(t[parent], Math.min(t[v], w));
  }
  return tree.length === 0 ? 0 : sum + t[0];
}
