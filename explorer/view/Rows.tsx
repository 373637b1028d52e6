import { signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import type { Column } from "kindred/data";
import { cellWords, clipped } from "../app/cells.ts";
import { partition, rowName, slotOf } from "../app/partition.ts";
import { first, focused, highlighted, second, toggle } from "../app/selection.ts";
import { table } from "../app/known.ts";

const PAGE = 40;
const COLUMNS = 40;
const page = signal(0);
const wanted = signal("");
/** The column that the rows are sorted by, and whether from the largest down. */
const sorted = signal<{ readonly column: string; readonly down: boolean } | undefined>(undefined);

function goTo(row: number, listed: ArrayLike<number>): void {
  const at = Array.prototype.indexOf.call(listed, row) as number;
  if (at < 0) return;
  page.value = Math.floor(at / PAGE);
  focused.value = row;
}

/** The rows as a table: what the plot shows, for those who do not see it, with every column. */
export function Rows(): JSX.Element | null {
  const listing = useComputed(() => listedRows());
  const rows = table.value;
  const shown = partition.value;
  if (rows === undefined || shown === undefined) return null;
  const only = highlighted.value;
  const listed = listing.value;
  const pages = Math.max(1, Math.ceil(listed.length / PAGE));
  const now = Math.min(page.value, pages - 1);
  const columns = rows.columns.filter(({ kind }) => kind !== "vector").slice(0, COLUMNS);
  const order = sorted.value;
  return (
    <>
      <p class="remark">
        {only === undefined ? "All rows" : `Rows of cluster ${shown.names[only]}`}; tick rows to put them into
        group 1 or 2.
      </p>
      <div class="row">
        <label class="field inline">
          <span>Search</span>
          <input
            type="search"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
              page.value = 0;
            }}
          />
        </label>
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
      </div>
      {wanted.value !== "" && (
        <p class="remark" role="status">
          {listed.length === 1 ? "1 row holds" : `${listed.length.toLocaleString("en")} rows hold`} “
          {wanted.value}”.
        </p>
      )}
      <div class="wide" tabIndex={0} role="region" aria-label="Rows">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">1</th>
              <th scope="col">2</th>
              <th scope="col">row</th>
              <th scope="col">cluster</th>
              {columns.map(({ name }) => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={order?.column === name ? (order.down ? "descending" : "ascending") : "none"}
                >
                  <button type="button" class="plain" onClick={() => sortBy(name)}>
                    {name} {order?.column === name ? (order.down ? "↓" : "↑") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from(listed.slice(now * PAGE, (now + 1) * PAGE), (row) => (
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
                  <span class={`dot c${slotOf(shown, row)}`} />{" "}
                  {shown.labels[row] < 0 ? "none" : shown.names[shown.labels[row]]}
                </td>
                {columns.map((column) => (
                  <Cell key={column.name} column={column} row={row} />
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

function Cell({ column, row }: { readonly column: Column; readonly row: number }): JSX.Element {
  const text = cellWords(column, row);
  return (
    <td class={column.kind === "number" ? "number" : ""} title={text.length > 60 ? text : undefined}>
      {clipped(text, 60)}
    </td>
  );
}

function sortBy(column: string): void {
  const now = sorted.value;
  if (now?.column !== column) sorted.value = { column, down: false };
  else sorted.value = now.down ? undefined : { column, down: true };
  page.value = 0;
}

/** Whether the cell of a row holds a text, made for looking at very many rows. */
function holding(column: Column, text: string): (row: number) => boolean {
  const { cells, levels, codes, values, kind } = column;
  if (cells !== undefined) return (row) => cells[row].toLowerCase().includes(text);
  if (levels !== undefined && codes !== undefined) {
    const found = levels.map((level) => level.toLowerCase().includes(text));
    return (row) => codes[row] >= 0 && found[codes[row]];
  }
  if (values === undefined || !/^[\d.+-]+$/.test(text)) return () => false;
  return kind === "number"
    ? (row) => String(values[row]).startsWith(text)
    : (row) => cellWords(column, row).startsWith(text);
}

/** The rows that are looked for, in the order that was asked for. */
function listedRows(): Int32Array {
  const rows = table.value;
  const shown = partition.value;
  if (rows === undefined || shown === undefined) return new Int32Array(0);
  const only = highlighted.value;
  const text = wanted.value.trim().toLowerCase();
  const tests = text === "" ? [] : rows.columns.map((column) => holding(column, text));
  const has = (row: number): boolean =>
    tests.some((test) => test(row)) || `row ${row}` === text || String(row) === text;
  const listed = Int32Array.from({ length: rows.rows }, (_, i) => i).filter(
    (i) => (only === undefined || shown.labels[i] === only) && (text === "" || has(i)),
  );
  const order = sorted.value;
  const column = rows.columns.find(({ name }) => name === order?.column);
  if (order === undefined || column === undefined) return listed;
  const sign = order.down ? -1 : 1;
  const { values } = column;
  if (values !== undefined) {
    const last = order.down ? -Infinity : Infinity;
    const value = (i: number): number => (Number.isNaN(values[i]) ? last : values[i]);
    return listed.sort((a, b) => sign * (value(a) - value(b)) || a - b);
  }
  const { compare } = new Intl.Collator("en", { numeric: true });
  const texts = new Map(Array.from(listed, (i) => [i, cellWords(column, i)]));
  return listed.sort((a, b) => sign * compare(texts.get(a)!, texts.get(b)!) || a - b);
}
