import { signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { dotClass } from "../../app/shown/colors.ts";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Column } from "kindred/data";
import { brushes, near, search, sorting } from "../../app/rows/browsed.ts";
import { browsed, brush } from "../../app/rows/browsing.ts";
import { cellWords, clipped } from "../../app/rows/cells.ts";
import { table } from "../../app/known.ts";
import { partition, rowName, slotOf, type Partition } from "../../app/shown/partition.ts";
import { first, focused, highlighted, hovered, second, toggle } from "../../app/rows/selection.ts";
import { CLUSTER_KEY, NEAR_KEY, type TableData } from "../../protocol.ts";
import { CellText } from "./CellText.tsx";
import { Icon } from "../icons.tsx";

const ROW = 30;
const BEFORE = 4;
/** Browsers do not scroll further than this: beyond it the scroll bar represents the share of the rows. */
const TALLEST = 8e6;
const WIDE = 122;
const TEXT = 260;
/** Widths of the ticks, the name of a row and its cluster. */
const OWN = [34, 34, 130, 90] as const;

export const tableOpen = signal(
  typeof matchMedia === "undefined" || matchMedia("(min-width: 1100px) and (min-height: 700px)").matches,
);
const scrolled = signal({ top: 0, left: 0, width: 800, height: 240 });
/** The row of the table that has the focus, or had it: Tab leads to it, and the arrow keys go on from it. */
const walked = signal<number | undefined>(undefined);

/** All rows and all columns: the content of the plot in words. Only the visible part is rendered. */
export function TablePanel(): JSX.Element | null {
  const rows = table.value;
  const shown = partition.value;
  if (rows === undefined || shown === undefined) return null;
  const listed = browsed.value?.rows;
  const count = listed?.length ?? rows.rows;
  return (
    <section class={tableOpen.value ? "table-panel open" : "table-panel"} aria-label="Rows">
      <div class="table-bar">
        <button
          type="button"
          class="bare"
          aria-expanded={tableOpen.value}
          onClick={() => (tableOpen.value = !tableOpen.value)}
        >
          <Icon name={tableOpen.value ? "down" : "up"} /> Rows
        </button>
        <span class="remark">
          {count === rows.rows
            ? `all ${count.toLocaleString("en")}`
            : `${count.toLocaleString("en")} of ${rows.rows.toLocaleString("en")}`}
          {search.value !== "" &&
            (count === 1
              ? `, 1 row holds “${search.value}”`
              : `, ${count.toLocaleString("en")} rows hold “${search.value}”`)}
        </span>
        <Filters shown={shown} />
        <span class="gap" />
        {tableOpen.value && (
          <>
            <label class="field inline">
              <span>Search</span>
              <input
                type="search"
                value={search.value}
                onInput={(event) => (search.value = event.currentTarget.value)}
              />
            </label>
            <label class="field inline">
              <span>Go to row</span>
              <input
                type="number"
                min="0"
                max={rows.rows - 1}
                step="1"
                onChange={(event) => {
                  const row = event.currentTarget.valueAsNumber;
                  if (row >= 0 && row < rows.rows) focused.value = row;
                }}
              />
            </label>
          </>
        )}
      </div>
      {tableOpen.value && <Window rows={rows} shown={shown} />}
    </section>
  );
}

/** The columns left out, and a button to restore them. */
function Filters({ shown }: { readonly shown: Partition }): JSX.Element {
  const only = highlighted.value;
  return (
    <>
      {only !== undefined && (
        <Chip text={`cluster ${shown.names[only]} only`} remove={() => (highlighted.value = undefined)} />
      )}
      {near.value !== undefined && sorting.value?.column === NEAR_KEY && (
        <Chip
          text={`nearest to ${rowName(near.value.row)} first`}
          remove={() => (sorting.value = undefined)}
        />
      )}
      {Object.keys(brushes.value).map((name) => (
        <Chip key={name} text={`part of ${name}`} remove={() => brush(name, undefined)} />
      ))}
    </>
  );
}

function Chip({ text, remove }: { readonly text: string; readonly remove: () => void }): JSX.Element {
  return (
    <span class="chip">
      {text}
      <button type="button" class="bare" aria-label={`No longer ${text}`} onClick={remove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function Window({ rows, shown }: { readonly rows: TableData; readonly shown: Partition }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const columns = useComputed(() => (table.value?.columns ?? []).filter(({ kind }) => kind !== "vector"));
  const listed = browsed.value?.rows;
  const count = listed?.length ?? rows.rows;
  const tall = Math.min(TALLEST, count * ROW);
  const { top, left, width, height } = scrolled.value;
  const inSight = Math.ceil(height / ROW) + 2 * BEFORE;
  const last = Math.max(0, count - Math.floor(height / ROW) + 1);
  const share = tall > height ? Math.min(1, top / (tall - height)) : 0;
  const at = tall < TALLEST ? Math.floor(top / ROW) : Math.round(share * last);
  const from = Math.max(0, Math.min(at, count - 1) - BEFORE);
  const to = Math.min(count, from + inSight);
  const above =
    tall < TALLEST ? from * ROW : Math.max(0, Math.min(top - (at - from) * ROW, tall - (to - from) * ROW));

  useEffect(() => {
    const element = box.current!;
    const look = (): void => {
      const { scrollTop, scrollLeft, clientWidth, clientHeight } = element;
      scrolled.value = { top: scrollTop, left: scrollLeft, width: clientWidth, height: clientHeight };
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  // The row in focus scrolls into view, wherever it was chosen.
  useEffect(() => {
    const [row, element] = [focused.value, box.current];
    if (row === undefined || element === null) return;
    const place = listed === undefined ? row : listed.indexOf(row);
    if (place < 0 || (place >= at && place < at + Math.floor(height / ROW) - 1)) return;
    element.scrollTop =
      tall < TALLEST ? Math.max(0, place * ROW - height / 3) : (place / Math.max(1, last)) * (tall - height);
  }, [focused.value, listed]);

  // The place and the control of its row that the focus goes to once it is drawn.
  const wanted = useRef<{ readonly place: number; readonly control: number }>(undefined);
  const reach = (): void => {
    if (box.current?.contains(document.activeElement) !== true) wanted.current = undefined;
    const line = box.current?.querySelector(`tr[aria-rowindex="${(wanted.current?.place ?? -9) + 2}"]`);
    const control = line?.querySelectorAll<HTMLElement>("input, button")[wanted.current?.control ?? 0];
    if (control === undefined) return;
    wanted.current = undefined;
    control.focus({ preventScroll: true });
  };
  useLayoutEffect(reach);
  const walk = (event: KeyboardEvent): void => {
    const line = (event.target as Element).closest("tr");
    const pending = wanted.current;
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[
      event.key
    ];
    if ((line ?? pending) == null || steps === undefined) return;
    event.preventDefault();
    const now = pending?.place ?? Number(line!.ariaRowIndex) - 2;
    const place = Math.min(count - 1, Math.max(0, now + steps));
    const controls = [...(line?.querySelectorAll("input, button") ?? [])];
    const control = pending?.control ?? Math.min(2, Math.max(0, controls.indexOf(event.target as Element)));
    wanted.current = { place, control };
    const [high, low] = [place * ROW, (place + 2) * ROW - height];
    if (tall >= TALLEST) {
      if (place < at || place > at + page)
        box.current!.scrollTop = (place / Math.max(1, last)) * (tall - height);
    } else if (high < top || low > top) box.current!.scrollTop = high < top ? high : low;
    reach();
    // Until the row is drawn, the table itself has the focus: the row that had it may be gone before.
    if (wanted.current !== undefined) box.current!.focus({ preventScroll: true });
  };

  const widths = columns.value.map(widthOf);
  const [begin, end] = columnsInSight(widths, left - OWN.reduce((a, b) => a + b, 0), width);
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const [before, after] = [sum(widths.slice(0, begin)), sum(widths.slice(end))];
  const whole = sum(widths) + sum(OWN);
  const order = sorting.value;
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, p) => listed?.[from + p] ?? from + p);
  const stop = [walked.value, focused.value].find((row) => row !== undefined && drawn.includes(row));
  const current = stop ?? drawn[Math.min(drawn.length - 1, at - from)];
  const head = (key: string, title: string, index: number): JSX.Element => (
    <th
      key={key}
      scope="col"
      aria-colindex={index}
      aria-sort={order?.column === key ? (order.down ? "descending" : "ascending") : "none"}
    >
      <button type="button" class="plain" title={title} onClick={() => sortBy(key)}>
        {title} {order?.column === key ? (order.down ? "↓" : "↑") : ""}
      </button>
    </th>
  );
  return (
    <div
      class="table-window"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Table of rows"
      onKeyDown={walk}
    >
      <table
        class="rows"
        aria-rowcount={count + 1}
        aria-colcount={columns.value.length + OWN.length}
        style={{ width: `${whole}px`, height: `${tall + ROW}px` }}
      >
        <colgroup>
          {OWN.map((wide, c) => (
            // eslint-disable-next-line react/no-array-index-key
            <col key={c} style={{ width: `${wide}px` }} />
          ))}
          {before > 0 && <col style={{ width: `${before}px` }} />}
          {columns.value.slice(begin, end).map((column) => (
            <col key={column.name} style={{ width: `${widthOf(column)}px` }} />
          ))}
          {after > 0 && <col style={{ width: `${after}px` }} />}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">1</th>
            <th scope="col">2</th>
            <th scope="col">row</th>
            {head(CLUSTER_KEY, "cluster", 4)}
            {before > 0 && <td />}
            {columns.value.slice(begin, end).map(({ name }, c) => head(name, name, begin + c + 5))}
            {after > 0 && <td />}
          </tr>
        </thead>
        <tbody>
          <tr aria-hidden="true" class="space" style={{ height: `${above}px` }} />
          {drawn.map((row, p) => (
            <tr
              key={row}
              aria-rowindex={from + p + 2}
              class={focused.value === row ? "focused" : ""}
              onFocusCapture={() => (walked.value = row)}
              onPointerEnter={() => (hovered.value = row)}
              onPointerLeave={() => (hovered.value = undefined)}
            >
              {(["first", "second"] as const).map((group) => (
                <td key={group}>
                  <input
                    type="checkbox"
                    tabIndex={row === current ? 0 : -1}
                    aria-label={`${rowName(row)} in group ${group === "first" ? 1 : 2}`}
                    checked={(group === "first" ? first : second).value.includes(row)}
                    onChange={() => toggle(row, group)}
                  />
                </td>
              ))}
              <th scope="row">
                <button
                  type="button"
                  class="plain"
                  tabIndex={row === current ? 0 : -1}
                  onClick={() => (focused.value = row)}
                >
                  {rowName(row)}
                </button>
              </th>
              <td>
                <span class={dotClass(slotOf(shown, row))} />{" "}
                {shown.labels[row] < 0 ? "none" : shown.names[shown.labels[row]]}
              </td>
              {before > 0 && <td />}
              {columns.value.slice(begin, end).map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
              {after > 0 && <td />}
            </tr>
          ))}
          <tr aria-hidden="true" class="space" />
        </tbody>
      </table>
    </div>
  );
}

function widthOf({ kind }: Column): number {
  return kind === "text" ? TEXT : WIDE;
}

/** The columns between two positions, with one extra on each side. */
function columnsInSight(widths: readonly number[], left: number, width: number): [number, number] {
  let [begin, end, place] = [0, widths.length, 0];
  for (const [c, wide] of widths.entries()) {
    if (place + wide < left) begin = c;
    if (place > left + width + WIDE) {
      end = c + 1;
      break;
    }
    place += wide;
  }
  return [begin, end];
}

function Cell({ column, row }: { readonly column: Column; readonly row: number }): JSX.Element {
  const text = cellWords(column, row);
  return (
    <td class={column.kind === "number" ? "number" : ""} title={text.length > 24 ? text : undefined}>
      <CellText text={clipped(text, 60)} whole={text} small />
    </td>
  );
}

function sortBy(column: string): void {
  const now = sorting.value;
  if (now?.column !== column) sorting.value = { column, down: false };
  else sorting.value = now.down ? undefined : { column, down: true };
}
