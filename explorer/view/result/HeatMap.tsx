import type { JSX } from "preact";
import { dotClass } from "../../app/shown/colors.ts";
import type { Difference, Profile } from "kindred/model";
import type { Partition } from "../../app/shown/partition.ts";

const COLUMNS = 30;
const CLUSTERS = 60;
/** Standard deviations at which a cell has its full colour. */
const FULL = 2;

/** Clusters against columns: where a cluster lies above or below all rows, in standard deviations. */
export function HeatMap({
  profiles,
  shown,
  order,
}: {
  readonly profiles: readonly Profile[];
  readonly shown: Partition;
  readonly order: readonly number[];
}): JSX.Element | null {
  const cells = profiles.map(({ differences }) => new Map(differences.map((one) => [one.column, one])));
  const explained = new Map<string, number>();
  for (const { differences } of profiles) {
    for (const one of differences) {
      explained.set(one.column, Math.max(one.explained, explained.get(one.column) ?? 0));
    }
  }
  const columns = [...explained].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  if (columns.length === 0 || profiles.length < 2) return null;
  const listed = order.slice(0, CLUSTERS);
  return (
    <section aria-labelledby="heat-title">
      <h3 id="heat-title">Clusters by columns</h3>
      <p class="remark">
        Standard deviations above or below all rows; of a category, the level that differs most. The columns
        that tell most come first.
      </p>
      <div class="wide" tabIndex={0} role="region" aria-label="Table of clusters by columns">
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">column</th>
              {listed.map((k) => (
                <th key={k} scope="col">
                  <span class={dotClass(shown.slots[k])} /> {shown.names[k]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.slice(0, COLUMNS).map((name) => (
              <tr key={name}>
                <th scope="row" title={name}>
                  {name}
                </th>
                {listed.map((k) => (
                  <Cell key={k} one={cells[k]?.get(name)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {columns.length > COLUMNS && (
        <p class="remark">and {columns.length - COLUMNS} columns that tell less</p>
      )}
    </section>
  );
}

function Cell({ one }: { readonly one: Difference | undefined }): JSX.Element {
  if (one === undefined) return <td />;
  const heat = Math.round(Math.min(1, Math.abs(one.effect) / FULL) * 45);
  const sign = one.effect > 0 ? "+" : "";
  return (
    <td class={one.effect > 0 ? "above" : "below"} style={{ "--heat": `${heat}%` }} title={one.words}>
      {sign}
      {one.effect.toFixed(1)}
    </td>
  );
}
