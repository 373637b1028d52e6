import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { dotClass } from "../../app/shown/colors.ts";
import type { Column } from "kindred/data";
import { cellWords, tellingColumns } from "../../app/rows/cells.ts";
import { near, sorting } from "../../app/rows/browsed.ts";
import { distancesFrom, nearestKin } from "../../app/rows/kin.ts";
import { notInHere, putInto } from "../../app/hints/hints.ts";
import {
  calledNames,
  clusterOf,
  knownClasses,
  partition,
  rowName,
  slotOf,
  stepNumber,
} from "../../app/shown/partition.ts";
import { first, focused, hovered, second, toggle } from "../../app/rows/selection.ts";
import { announcement, solution, table } from "../../app/known.ts";
import { NEAR_KEY, type Solution } from "../../protocol.ts";
import { tableOpen } from "./TablePanel.tsx";
import { CellText } from "./CellText.tsx";

const KIN = 5;
const LISTED = 60;

/** The row in focus: its cells, its nearest rows, and why they are near. */
export function PointCard(): JSX.Element {
  const row = focused.value ?? hovered.value;
  const kin = useComputed(() => {
    const at = focused.value ?? hovered.value;
    if (at === undefined || solution.value === undefined) return [];
    return nearestKin(at, KIN, solution.value);
  });
  const shown = partition.value;
  const rows = table.value;
  if (row === undefined || shown === undefined || rows === undefined) {
    return (
      <p class="remark">
        Click a point, or go to one with the arrow keys in the plot, to see its row and its kin.
      </p>
    );
  }
  const label = knownClasses.value?.[row];
  const columns = tellingColumns(rows.columns);
  return (
    <>
      <section aria-labelledby="point-title">
        <h3 id="point-title">{rowName(row)}</h3>
        <p class="figure">
          <span class={dotClass(slotOf(shown, row))} /> {capital(clusterOf(shown, row))}
          {label !== undefined && (
            <>
              , {rows.label} <strong>{label || "unknown"}</strong>
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
        {stepNumber.value === undefined && (
          <div class="row">
            <select
              class="axis"
              aria-label="Belongs to cluster"
              value=""
              onChange={(event) => {
                if (event.currentTarget.value !== "") putInto([row], Number(event.currentTarget.value));
                event.currentTarget.value = "";
              }}
            >
              <option value="">Belongs to …</option>
              {calledNames.value.map((name, k) => (
                // eslint-disable-next-line react/no-array-index-key
                <option key={k} value={k}>
                  {k}: {name}
                </option>
              ))}
            </select>
            <button type="button" disabled={shown.labels[row] < 0} onClick={() => notInHere([row])}>
              Not in here
            </button>
          </div>
        )}
      </section>
      <section aria-labelledby="values-title">
        <h3 id="values-title">The row</h3>
        <table class="values">
          <tbody>
            {columns.slice(0, LISTED).map((column) => (
              <tr key={column.name}>
                <th scope="row">{column.name}</th>
                <td>{words(column, row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {columns.length > LISTED && <p class="remark">and {columns.length - LISTED} more columns</p>}
      </section>
      <section aria-labelledby="kin-title">
        <h3 id="kin-title">Nearest kin</h3>
        <ol class="kin">
          {kin.value.map((one) => (
            <li key={one.row}>
              <button type="button" class="plain" onClick={() => (focused.value = one.row)}>
                <span class={dotClass(slotOf(shown, one.row))} /> {rowName(one.row)}
              </button>
              <span class="count">distance {one.distance.toPrecision(3)}</span>
              <small>{reason(one.because)}</small>
            </li>
          ))}
        </ol>
        {solution.value !== undefined && (
          <button type="button" onClick={() => sortByNearness(row, solution.value!)}>
            All rows, the nearest first
          </button>
        )}
      </section>
    </>
  );
}

function sortByNearness(row: number, { space }: Solution): void {
  near.value = { row, distances: distancesFrom(row, space) };
  sorting.value = { column: NEAR_KEY, down: false };
  tableOpen.value = true;
  announcement.value = `The rows are ordered by their nearness to ${rowName(row)}.`;
}

function words(column: Column, row: number): JSX.Element {
  const text = cellWords(column, row);
  return text === "" ? <small>missing</small> : <CellText text={text} />;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function reason(because: readonly { readonly name: string; readonly share: number }[]): string {
  if (because.length === 0) return "equal in every column";
  const parts = because.map(({ name, share }) => `${name} (${(100 * share).toFixed(0)} %)`);
  return `apart mostly by ${parts.join(", ")}`;
}
