/**
 * A maximum spanning tree that grows by one vertex at a time, after Chin and Houck (1978): the tree of m + 1
 * vertices consists of edges of the tree of m and of the new vertex z, and one walk from the leaves to the
 * root finds it in O(m). At vertex v let t_v be the best path to z found below it, initially its own edge to
 * z. An edge (v, parent) of weight w and t_v then close a cycle through z: the larger of the two stays in the
 * tree, and the smaller one is offered to the parent. At the root t is the last edge.
 */
export interface GrowingTree {
  /** Edges as pairs of vertices, numbered in the order in which they were added. */
  readonly edges: readonly TreeEdge[];
  /**
   * The gain in weight from another vertex, for many vertices at once.
   *
   * @param links weight of the edge from tree vertex v to candidate c: links[v][c]
   * @param out one number per candidate
   */
  increases(links: readonly Float64Array[], out: Float64Array): void;
  /** Adds a vertex. */
  grow(links: ArrayLike<number>): void;
}

export interface TreeEdge {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

export function growingTree(): GrowingTree {
  let size = 0;
  let edges: TreeEdge[] = [];
  let rooted = rootedAt(0, 0, []);
  return {
    get edges() {
      return edges;
    },
    increases(links, out) {
      out.fill(0);
      if (size > 0) sweep(rooted, links, out);
    },
    grow(links) {
      const z = size++;
      if (z > 0) edges = inserted(rooted, links, z);
      rooted = rootedAt(0, size, edges);
    },
  };
}

export interface RootedEdges {
  /** The root first, every other vertex after its parent. */
  readonly order: Int32Array;
  /** -1 for the root. */
  readonly parents: Int32Array;
  /** Weight of the edge to the parent, 0 for the root. */
  readonly weights: Float64Array;
}

/** Parents of a tree with the given `root`; neighbours in the order of their edges. */
export function rootedAt(root: number, size: number, edges: readonly TreeEdge[]): RootedEdges {
  const neighbors = Array.from({ length: size }, (): [number, number][] => []);
  for (const { a, b, weight } of edges) {
    neighbors[a].push([b, weight]);
    neighbors[b].push([a, weight]);
  }
  const parents = new Int32Array(size).fill(-1);
  const weights = new Float64Array(size);
  const order = [root];
  for (const v of order) {
    for (const [u, weight] of neighbors[v] ?? []) {
      if (u === parents[v]) continue;
      parents[u] = v;
      weights[u] = weight;
      order.push(u);
    }
  }
  return { order: Int32Array.from(order), parents, weights };
}

/** Number of candidates at a time, so their t_v of all vertices stay in the cache. */
const BLOCK = 512;

/** The walk for all candidates in parallel: total = t_root + sum_v max(t_v - w_v, 0). */
function sweep(tree: RootedEdges, links: readonly Float64Array[], out: Float64Array): void {
  const m = tree.order.length;
  const t = new Float64Array(m * BLOCK);
  for (let start = 0; start < out.length; start += BLOCK) {
    const width = Math.min(BLOCK, out.length - start);
    for (let v = 0; v < m; v++) t.set(links[v].subarray(start, start + width), v * BLOCK);
    for (let at = m - 1; at > 0; at--) {
      const v = tree.order[at];
      const own = v * BLOCK;
      const above = tree.parents[v] * BLOCK;
      const w = tree.weights[v];
      for (let c = 0; c < width; c++) {
        const way = t[own + c];
        const offered = way > w ? w : way;
        if (way > w) out[start + c] += way - w;
        if (offered > t[above + c]) t[above + c] = offered;
      }
    }
    const root = tree.order[0] * BLOCK;
    for (let c = 0; c < width; c++) out[start + c] += t[root + c];
  }
}

/** The walk for one vertex z, with the edges it keeps; in a tie the older edge stays. */
function inserted(tree: RootedEdges, links: ArrayLike<number>, z: number): TreeEdge[] {
  const t: TreeEdge[] = Array.from({ length: z }, (_, v) => ({ a: v, b: z, weight: links[v] }));
  const kept: TreeEdge[] = [];
  for (let at = z - 1; at > 0; at--) {
    const v = tree.order[at];
    const p = tree.parents[v];
    const edge = { a: p, b: v, weight: tree.weights[v] };
    const stays = t[v].weight > edge.weight ? t[v] : edge;
    const offered = stays === edge ? t[v] : edge;
    kept.push(stays);
    if (offered.weight > t[p].weight) t[p] = offered;
  }
  return [...kept, t[tree.order[0]]].sort((x, y) => Math.max(x.a, x.b) - Math.max(y.a, y.b) || x.a - y.a);
}

/** Prim's maximum spanning tree of a complete graph whose weights come row by row; memory for one row. */
export function maximumSpanningTree(size: number, row: (v: number) => ArrayLike<number>): TreeEdge[] {
  const best = new Float64Array(size).fill(-Infinity);
  const from = new Int32Array(size);
  const inside = new Uint8Array(size);
  const edges: TreeEdge[] = [];
  let v = 0;
  for (let count = 1; count < size; count++) {
    inside[v] = 1;
    const weights = row(v);
    let next = -1;
    for (let u = 0; u < size; u++) {
      if (inside[u] === 1) continue;
      if (weights[u] > best[u]) {
        best[u] = weights[u];
        from[u] = v;
      }
      if (next < 0 || best[u] > best[next]) next = u;
    }
    edges.push({ a: from[next], b: next, weight: best[next] });
    v = next;
  }
  return edges;
}
