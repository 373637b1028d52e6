import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { nearestKin } from "../app/kin.ts";
import { partition, rowName } from "../app/partition.ts";
import { first, focused, hovered, second, toggle } from "../app/selection.ts";
import { solution, table } from "../app/known.ts";

const KIN = 5;
const LISTED = 30;

/** The row that is looked at: its values, its nearest kin, and why they are near. */
export function PointCard(): JSX.Element {
  const row = focused.value ?? hovered.value;
  const kin = useComputed(() => {
    const at = focused.value ?? hovered.value;
    if (at === undefined || solution.value === undefined || table.value === undefined) return [];
    return nearestKin(at, KIN, solution.value, table.value);
  });
  const shown = partition.value;
  const found = solution.value;
  const rows = table.value;
  if (row === undefined || shown === undefined || found === undefined || rows === undefined) {
    return (
      <p class="remark">
        Click a point, or go to one with the arrow keys in the plot, to see its values and kin.
      </p>
    );
  }
  const label = rows.label?.values[row];
  return (
    <>
      <section aria-labelledby="point-title">
        <h3 id="point-title">{rowName(row)}</h3>
        <p class="figure">
          <span class={`dot c${shown.slots[shown.labels[row]]}`} /> Cluster {shown.names[shown.labels[row]]}
          {label !== undefined && (
            <>
              , {rows.label?.name} <strong>{label || "unknown"}</strong>
            </>
          )}
        </p>
        <div class="row">
          <button type="button" aria-pressed={first.value.includes(row)} onClick={() => toggle(row, "first")}>
            In group 1
          </button>
          <button
            type="button"
            aria-pressed={second.value.includes(row)}
            onClick={() => toggle(row, "second")}
          >
            In group 2
          </button>
        </div>
      </section>
      <section aria-labelledby="kin-title">
        <h3 id="kin-title">Nearest kin</h3>
        <ol class="kin">
          {kin.value.map((one) => (
            <li key={one.row}>
              <button type="button" class="plain" onClick={() => (focused.value = one.row)}>
                <span class={`dot c${shown.slots[shown.labels[one.row]]}`} /> {rowName(one.row)}
              </button>
              <span class="count">distance {one.distance.toPrecision(3)}</span>
              <small>{reason(one.because)}</small>
            </li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="values-title">
        <h3 id="values-title">Values</h3>
        <table class="values">
          <thead>
            <tr>
              <th scope="col">feature</th>
              <th scope="col">value</th>
              <th scope="col">from the mean</th>
            </tr>
          </thead>
          <tbody>
            {found.features.slice(0, LISTED).map(({ name, column, center, scale }) => {
              const value = rows.values[row * rows.names.length + column];
              const from = (value - center) / scale;
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{Number(value.toPrecision(6))}</td>
                  <td>{`${from > 0 ? "+" : ""}${from.toFixed(2)}`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </>
  );
}

function reason(because: readonly { readonly name: string; readonly share: number }[]): string {
  if (because.length === 0) return "equal in every feature";
  const parts = because.map(({ name, share }) => `${name} (${(100 * share).toFixed(0)} %)`);
  return `apart mostly by ${parts.join(", ")}`;
}
