import type { JSX } from "preact";
import { dotClass, GREY } from "../../app/shown/colors.ts";
import { useMemo } from "preact/hooks";
import { adjustedRand, nmi } from "kindred/score";
import { announcement } from "../../app/known.ts";
import type { Partition } from "../../app/shown/partition.ts";
import { select } from "../../app/rows/selection.ts";

/** Groups of a side that have a line of their own; the smaller ones share one. */
const MOST = 40;

/** A comparison of two partitions of the same rows: their agreement and their contingency table. */
export function Meeting({
  left,
  right,
  named = false,
}: {
  readonly left: Partition;
  readonly right: Partition;
  /** The left one are known classes. */
  readonly named?: boolean;
}): JSX.Element {
  const met = useMemo(() => meet(left, right), [left, right]);
  const { lines, columns, counts, apart, rand, information } = met;
  const most = Math.max(1, ...counts.flat());
  const pick = (a: number, b: number): void => {
    const rows: number[] = [];
    for (let i = 0; i < left.labels.length; i++) {
      if (lines.place(left.labels[i]) === a && columns.place(right.labels[i]) === b) rows.push(i);
    }
    select(rows, "first");
    announcement.value = `${rows.length} rows in group 1.`;
  };
  return (
    <>
      <p class="figure">
        Adjusted Rand <strong>{rand.toFixed(3)}</strong>, NMI <strong>{information.toFixed(3)}</strong>
      </p>
      {apart > 0 && <p class="remark">{apart} rows are in no cluster and not in this table.</p>}
      <div class="wide" tabIndex={0} role="region" aria-label="How the two meet">
        <table class="meeting">
          <caption>
            Rows of {named ? "each class" : "each pinned cluster"} (down) in each cluster (across). A cell
            chooses its rows.
          </caption>
          <thead>
            <tr>
              <td />
              {columns.names.map((name, b) => (
                <th key={name} scope="col">
                  <span class={dotClass(columns.slots[b])} /> {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.names.map((name, a) => (
              <tr key={name}>
                <th scope="row">
                  <span class={dotClass(lines.slots[a])} /> {name || "unknown"}
                </th>
                {counts[a].map((count, b) => (
                  // eslint-disable-next-line react/no-array-index-key
                  <td key={b} style={{ "--heat": `${Math.round((32 * count) / most)}%` }}>
                    <button
                      type="button"
                      class="bare"
                      disabled={count === 0}
                      aria-label={`Choose the ${count} rows of ${name} in cluster ${columns.names[b]}`}
                      onClick={() => pick(a, b)}
                    >
                      {count}
                    </button>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface Side {
  readonly names: readonly string[];
  readonly slots: readonly number[];
  /** The line of a group; -1 for rows in none. */
  place(group: number): number;
}

/** The groups of a side; the smallest of very many are one. */
function side({ sizes, names, slots }: Partition): Side {
  if (sizes.length <= MOST) return { names, slots, place: (group) => group };
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const own = order.slice(0, MOST - 1).sort((a, b) => a - b);
  const places = new Map(own.map((group, place) => [group, place]));
  return {
    names: [...own.map((group) => names[group]), `${sizes.length - own.length} smaller`],
    slots: [...own.map((group) => slots[group]), GREY],
    place: (group) => (group < 0 ? -1 : (places.get(group) ?? own.length)),
  };
}

function meet(left: Partition, right: Partition) {
  const [lines, columns] = [side(left), side(right)];
  const counts = lines.names.map(() => columns.names.map(() => 0));
  let apart = 0;
  for (let i = 0; i < left.labels.length; i++) {
    const [a, b] = [lines.place(left.labels[i]), columns.place(right.labels[i])];
    if (a < 0 || b < 0) apart++;
    else counts[a][b]++;
  }
  return {
    lines,
    columns,
    counts,
    apart,
    rand: adjustedRand(left.labels, right.labels),
    information: nmi(left.labels, right.labels),
  };
}
