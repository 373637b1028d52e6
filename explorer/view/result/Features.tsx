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
  const values = new Map(found.features.map((feature) => [feature.column, valueOf(feature, learned)]));
  const value = ({ column }: Feature): number => values.get(column)!;
  const order = [...found.features].sort((a, b) => value(b) - value(a));
  if (order.length === 0) return null;
  const most = Math.max(1e-12, value(order[0]));
  return (
    <section aria-labelledby="features-title">
      <h3 id="features-title">{learned ? "What the metric weighs" : "What tells the clusters apart"}</h3>
      <p class="remark">
        {learned
          ? "Each column's share of the learned distance."
          : "No metric was learned. For each column, the share of its variance that lies between the clusters."}
      </p>
      <ol class="bars">
        {order.slice(0, LISTED).map((feature) => (
          <li key={feature.column}>
            <span class="name">{feature.column}</span>
            <span class="track">
              <span class="bar" style={{ width: `${(100 * value(feature)) / most}%` }} />
            </span>
            <span class="value">{(100 * value(feature)).toFixed(value(feature) < 0.0995 ? 1 : 0)} %</span>
          </li>
        ))}
      </ol>
      {order.length > LISTED && <p class="remark">and {order.length - LISTED} more</p>}
    </section>
  );
}

/** On the path the partition differs from the clustering. */
function valueOf(feature: Feature, learned: boolean): number {
  if (learned) return feature.weight;
  const [column, shown] = [columnNamed(feature.column), partition.value];
  if (stepNumber.value === undefined || column === undefined || shown === undefined)
    return feature.separation;
  return separation(column, shown);
}
