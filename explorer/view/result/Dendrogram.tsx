import type { JSX } from "preact";
import { rowName, type Partition } from "../../app/shown/partition.ts";
import type { TreeShown } from "../../protocol.ts";

const WIDTH = 300;
const LEAF = 13;
const TEXT = 76;

/** The last merges of the method's tree, from left to right; branches within one cluster have its colour. */
export function Dendrogram({
  tree,
  shown,
}: {
  readonly tree: TreeShown;
  readonly shown: Partition;
}): JSX.Element {
  const { leaves, merges, height } = tree;
  const count = leaves.length;
  const order = leafOrder(tree);
  const y: number[] = [];
  const x: number[] = [];
  const cluster: number[] = [];
  const top = Math.max(1e-300, ...merges.map((merge) => merge.height));
  order.forEach((leaf, place) => {
    y[leaf] = LEAF * (place + 0.5);
    x[leaf] = TEXT;
    cluster[leaf] = leaves[leaf].cluster;
  });
  const branches = merges.map(({ a, b, height: at }, m) => {
    const node = count + m;
    const right = TEXT + ((WIDTH - TEXT - 6) * Math.max(0, at)) / top;
    y[node] = (y[a] + y[b]) / 2;
    x[node] = right;
    cluster[node] = cluster[a] === cluster[b] ? cluster[a] : -1;
    const slot = cluster[node] < 0 ? "" : `branch-${shown.slots[cluster[node]] & 15}`;
    return <path key={node} class={slot} d={`M${x[a]} ${y[a]}H${right}V${y[b]}H${x[b]}`} />;
  });
  return (
    <section aria-labelledby="tree-title">
      <h3 id="tree-title">How the clusters join</h3>
      <p class="remark">
        The last {merges.length} merges, {height} to the right. A number in brackets counts the rows of a
        folded branch.
      </p>
      <svg
        class="dendrogram"
        viewBox={`0 0 ${WIDTH} ${LEAF * count}`}
        role="img"
        aria-label={`Tree of the last ${merges.length} merges`}
      >
        {branches}
        {order.map((leaf) => (
          <text key={leaf} x={TEXT - 4} y={y[leaf] + 3.5} text-anchor="end">
            {leaves[leaf].size === 1 ? rowName(leaves[leaf].row).slice(0, 14) : `(${leaves[leaf].size})`}
          </text>
        ))}
      </svg>
    </section>
  );
}

/** Leaves from top to bottom without crossing branches. */
function leafOrder({ leaves, merges }: TreeShown): number[] {
  const inner = new Set(merges.flatMap(({ a, b }) => [a, b]));
  const roots = merges.map((_, m) => leaves.length + m).filter((node) => !inner.has(node));
  const order: number[] = [];
  const open = roots.reverse();
  while (open.length > 0) {
    const node = open.pop()!;
    if (node < leaves.length) order.push(node);
    else open.push(merges[node - leaves.length].b, merges[node - leaves.length].a);
  }
  return order;
}
