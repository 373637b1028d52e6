import type { JSX } from "preact";
import { columnNamed, partition, stepNumber } from "../../app/shown/partition.ts";
import { separation } from "../../app/shown/separation.ts";
import type { Feature, Solution } from "../../protocol.ts";

const LISTED = 15;

/**
 * The features that the metric weights or, if none was learned, the features that separate the clusters on
 * the screen.
 */
export function Features({ found }: { readonly found: Solution }): JSX.Element | null {
  const learned = found.metric !== undefined;
  const order = found.features
    .map((feature) => ({ column: feature.column, value: valueOf(feature, learned) ?? -1 }))
    .filter(({ value }) => value >= 0)
    .sort((a, b) => b.value - a.value);
  if (order.length === 0 || (!learned && (partition.value?.sizes.length ?? 0) < 2)) return null;
  return (
    <section aria-labelledby="features-title">
      <h3 id="features-title">{learned ? "What the metric weighs" : "What tells the clusters apart"}</h3>
      <p class="remark">
        {learned
          ? "Each column's share of the learned distance."
          : "No metric was learned. For each column, the share of its variance that lies between the clusters."}
      </p>
      <ol class="bars">
        {order.slice(0, LISTED).map(({ column, value }) => (
          <li key={column}>
            <span class="name">{column}</span>
            <span class="track">
              <span class="bar" style={{ width: `${100 * value}%` }} />
            </span>
            <span class="value">{(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %</span>
          </li>
        ))}
      </ol>
      {order.length > LISTED && <p class="remark">and {order.length - LISTED} more</p>}
    </section>
  );
}

/** On the path the partition differs from the clustering. */
function valueOf(feature: Feature, learned: boolean): number | undefined {
  if (learned) return feature.weight;
  const [column, shown] = [columnNamed(feature.column), partition.value];
  if (stepNumber.value === undefined || column === undefined || shown === undefined)
    return feature.separation;
  return separation(column, shown);
}
