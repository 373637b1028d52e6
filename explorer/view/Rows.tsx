import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { partition, rowName } from "../app/partition.ts";
import { first, focused, highlighted, second, toggle } from "../app/selection.ts";
import { table } from "../app/known.ts";

const PAGE = 40;
const COLUMNS = 8;
const page = signal(0);

function goTo(row: number, listed: readonly number[]): void {
  const at = listed.indexOf(row);
  if (at < 0) return;
  page.value = Math.floor(at / PAGE);
  focused.value = row;
}

/** The rows as a table: what the plot shows, for those who do not see it. */
export function Rows(): JSX.Element | null {
  const rows = table.value;
  const shown = partition.value;
  if (rows === undefined || shown === undefined) return null;
  const only = highlighted.value;
  const listed: number[] = [];
  for (let i = 0; i < rows.rows; i++) if (only === undefined || shown.labels[i] === only) listed.push(i);
  const pages = Math.max(1, Math.ceil(listed.length / PAGE));
  const now = Math.min(page.value, pages - 1);
  return (
    <>
      <p class="remark">
        {only === undefined ? "All rows" : `Rows of cluster ${shown.names[only]}`}; tick rows to put them into
        group 1 or 2.
      </p>
      <label class="field inline">
        <span>Go to row</span>
        <input
          type="number"
          min="0"
          max={rows.rows - 1}
          step="1"
          onChange={(event) => goTo(Number(event.currentTarget.value), listed)}
        />
      </label>
      <div class="wide" tabIndex={0} role="region" aria-label="Rows">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">1</th>
              <th scope="col">2</th>
              <th scope="col">row</th>
              <th scope="col">cluster</th>
              {rows.label !== undefined && <th scope="col">{rows.label.name}</th>}
              {rows.names.slice(0, COLUMNS).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.slice(now * PAGE, (now + 1) * PAGE).map((row) => (
              <tr key={row} class={focused.value === row ? "focused" : ""}>
                {(["first", "second"] as const).map((group) => (
                  <td key={group}>
                    <input
                      type="checkbox"
                      aria-label={`${rowName(row)} in group ${group === "first" ? 1 : 2}`}
                      checked={(group === "first" ? first : second).value.includes(row)}
                      onChange={() => toggle(row, group)}
                    />
                  </td>
                ))}
                <th scope="row">
                  <button type="button" class="plain" onClick={() => (focused.value = row)}>
                    {rowName(row)}
                  </button>
                </th>
                <td>
                  <span class={`dot c${shown.slots[shown.labels[row]]}`} /> {shown.names[shown.labels[row]]}
                </td>
                {rows.label !== undefined && <td>{rows.label.values[row]}</td>}
                {rows.names.slice(0, COLUMNS).map((name, j) => (
                  <td key={name} class="number">
                    {Number(rows.values[row * rows.names.length + j].toPrecision(5))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="row">
        <button type="button" disabled={now === 0} onClick={() => (page.value = now - 1)}>
          Back
        </button>
        <span>
          Page {now + 1} of {pages}
        </span>
        <button type="button" disabled={now >= pages - 1} onClick={() => (page.value = now + 1)}>
          On
        </button>
      </div>
    </>
  );
}
