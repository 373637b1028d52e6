import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { adjustedRand, nmi } from "kindred/score";
import { change, settings } from "../app/history.ts";
import { clustered, other, type Partition } from "../app/partition.ts";
import { clustersText, methodChoice } from "../app/solving.ts";
import { select } from "../app/selection.ts";
import { announcement, solution, table } from "../app/known.ts";

const MOST_CLUSTERS = 24;

/** Two partitions of the same rows: how they meet. */
export function Compare(): JSX.Element {
  const { pinned } = settings.value;
  const labelled = table.value?.label !== undefined;
  return (
    <>
      <p class="remark">Keep the clustering on the screen, change anything, and see both side by side.</p>
      <div class="row">
        <button
          type="button"
          aria-pressed={pinned !== undefined && pinned !== "classes"}
          disabled={solution.value === undefined}
          onClick={() => change({ pinned: methodChoice(settings.value), gamma: undefined })}
        >
          Pin this result
        </button>
        {labelled && (
          <button
            type="button"
            aria-pressed={pinned === "classes"}
            onClick={() => change({ pinned: "classes", gamma: undefined })}
          >
            Known classes
          </button>
        )}
        {pinned !== undefined && (
          <button type="button" class="plain" onClick={() => change({ pinned: undefined })}>
            Stop comparing
          </button>
        )}
      </div>
      {clustered.value !== undefined && other.value !== undefined && (
        <Meeting left={other.value} right={clustered.value} named={pinned === "classes"} />
      )}
    </>
  );
}

/** How the pinned clustering is called above its plot. */
export function pinnedTitle(): string {
  const { pinned } = settings.value;
  if (pinned === undefined || pinned === "classes") return `Known: ${table.value?.label ?? ""}`;
  return `Pinned: ${pinned.method}${pinned.clusters === undefined ? "" : `, ${clustersText(pinned.clusters)}`}`;
}

function Meeting({
  left,
  right,
  named,
}: {
  readonly left: Partition;
  readonly right: Partition;
  readonly named: boolean;
}): JSX.Element {
  const counts = useComputed(() => crossCounts(other.value, clustered.value));
  const scores = useComputed(() => {
    const [a, b] = [other.value, clustered.value];
    if (a === undefined || b === undefined) return undefined;
    return { rand: adjustedRand(a.labels, b.labels), nmi: nmi(a.labels, b.labels) };
  });
  const apart = useComputed(() => unplaced(other.value, clustered.value));
  if (left.sizes.length > MOST_CLUSTERS || right.sizes.length > MOST_CLUSTERS) {
    return <p class="remark">Too many clusters for a table.</p>;
  }
  const most = Math.max(...counts.value.flat());
  const pick = (a: number, b: number): void => {
    const rows: number[] = [];
    for (let i = 0; i < left.labels.length; i++)
      if (left.labels[i] === a && right.labels[i] === b) rows.push(i);
    select(rows, "first");
    announcement.value = `${rows.length} rows in group 1.`;
  };
  return (
    <>
      <p class="figure">
        Adjusted Rand <strong>{scores.value?.rand.toFixed(3)}</strong>, NMI{" "}
        <strong>{scores.value?.nmi.toFixed(3)}</strong>
      </p>
      {apart.value > 0 && <p class="remark">{apart.value} rows are in no cluster and not in this table.</p>}
      <div class="wide">
        <table class="meeting">
          <caption>
            Rows of {named ? "each class" : "each pinned cluster"} (down) in each cluster (across). A cell
            chooses its rows.
          </caption>
          <thead>
            <tr>
              <td />
              {right.names.map((name, b) => (
                <th key={name} scope="col">
                  <span class={`dot c${right.slots[b]}`} /> {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {left.names.map((name, a) => (
              <tr key={name}>
                <th scope="row">
                  <span class={`dot c${left.slots[a]}`} /> {name || "unknown"}
                </th>
                {counts.value[a].map((count, b) => (
                  // eslint-disable-next-line react/no-array-index-key
                  <td key={b} style={{ "--heat": `${Math.round((32 * count) / most)}%` }}>
                    <button
                      type="button"
                      class="bare"
                      disabled={count === 0}
                      aria-label={`Choose the ${count} rows of ${name} in cluster ${right.names[b]}`}
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

function unplaced(left: Partition | undefined, right: Partition | undefined): number {
  let count = 0;
  for (let i = 0; i < (left?.labels.length ?? 0); i++) {
    if (left!.labels[i] < 0 || (right?.labels[i] ?? 0) < 0) count++;
  }
  return count;
}

function crossCounts(left: Partition | undefined, right: Partition | undefined): number[][] {
  if (left === undefined || right === undefined) return [];
  const counts = left.sizes.map(() => right.sizes.map(() => 0));
  for (let i = 0; i < left.labels.length; i++) {
    if (left.labels[i] >= 0 && right.labels[i] >= 0) counts[left.labels[i]][right.labels[i]]++;
  }
  return counts;
}
