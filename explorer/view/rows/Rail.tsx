import { signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { columnWords, whyWords, type Column } from "kindred/data";
import type { FeatureColumn } from "kindred/features";
import { brushes, columnsOpen } from "../../app/rows/browsed.ts";
import { browsed, brush, summaries } from "../../app/rows/browsing.ts";
import { valueWords } from "../../app/rows/cells.ts";
import { change, settings } from "../../app/history.ts";
import { became, solution } from "../../app/known.ts";
import type { ColumnSummary, TableData } from "../../protocol.ts";
import { Icon } from "../icons.tsx";

const KINDS = ["number", "category", "date", "text", "id"] as const;
const LISTED = 200;
/** Columns whose brush is open. */
const opened = signal<ReadonlySet<string>>(new Set());

/** The columns: contents, kind and weight; each can be used, coloured by and brushed. */
export function Rail({ rows }: { readonly rows: TableData }): JSX.Element | null {
  const made = useComputed(() => new Map(became.value.map((column) => [column.name, column])));
  const shares = useComputed(
    () => new Map((solution.value?.features ?? []).map(({ column, weight }) => [column, weight])),
  );
  const { off } = settings.value;
  const wide = rows.numbers !== undefined;
  const names = rows.columns.map(({ name }) => name).filter((name) => name !== rows.label);
  const used = names.filter((name) => !off.includes(name) && made.value.get(name)?.weight !== 0);
  const most = Math.max(1e-12, ...shares.value.values());
  return (
    <details class="columns" open>
      {wide ? (
        <summary>A LIBSVM file: its {rows.numbers!.X.cols} numbers are taken as they are</summary>
      ) : (
        <summary>
          Columns in use: {used.length} of {names.length}
        </summary>
      )}
      {!wide && (
        <div class="row">
          <button type="button" disabled={off.length === 0} onClick={() => change({ off: [] })}>
            Use all
          </button>
          <button type="button" onClick={() => change({ off: names.slice(1) })}>
            Only the first
          </button>
          <button
            type="button"
            aria-label="Wide table of columns"
            title="All columns over the map"
            aria-pressed={columnsOpen.value}
            onClick={() => (columnsOpen.value = !columnsOpen.value)}
          >
            <Icon name="fit" />
          </button>
        </div>
      )}
      <ul class="decisions" aria-label="Columns">
        {rows.columns.slice(0, LISTED).map((column, at) => (
          <Entry
            key={column.name}
            column={column}
            at={at}
            made={made.value.get(column.name)}
            share={(shares.value.get(column.name) ?? 0) / most}
            percent={shares.value.get(column.name)}
            rows={rows}
          />
        ))}
      </ul>
      {rows.columns.length > LISTED && <p class="remark">and {rows.columns.length - LISTED} more columns</p>}
    </details>
  );
}

function Entry({
  column,
  at,
  made,
  share,
  percent,
  rows,
}: {
  readonly column: Column;
  readonly at: number;
  readonly made: FeatureColumn | undefined;
  readonly share: number;
  readonly percent: number | undefined;
  readonly rows: TableData;
}): JSX.Element {
  const { off, reading, color } = settings.value;
  const { name } = column;
  const known = name === rows.label;
  const sparse = rows.numbers !== undefined;
  const left = off.includes(name);
  const toggle = (on: boolean): void =>
    change({ off: on ? off.filter((one) => one !== name) : [...off, name] });
  const take = (kind: string): void => {
    const { [name]: _, ...rest } = reading.as;
    change({ reading: { ...reading, as: kind === "" ? rest : { ...rest, [name]: kind } } });
  };
  const asked = reading.as[name];
  const summary = summaries.value.get(name);
  const paintable = summary !== undefined && summary.kind !== "other";
  const what = whatBecame(column, made, { rows: rows.rows, known, off: left });
  return (
    <li class={!known && made?.weight !== 0 && !left ? "used" : ""}>
      <div class="column-head">
        <label>
          <input
            type="checkbox"
            checked={!known && !left}
            disabled={known || sparse}
            ref={(box) => {
              // Neither on nor off: the library left it out.
              if (box !== null) box.indeterminate = !known && !left && made?.weight === 0;
            }}
            onChange={(event) => toggle(event.currentTarget.checked)}
          />
          <span class="column-name" title={name}>
            {name}
          </span>
        </label>
        {paintable && (
          <>
            <button
              type="button"
              class="bare small"
              aria-pressed={color === name}
              aria-label={`Colour by ${name}`}
              title="Colour the points by this column"
              onClick={() => change({ color: color === name ? undefined : name })}
            >
              <Icon name="paint" />
            </button>
            <button
              type="button"
              class="bare small"
              aria-pressed={opened.value.has(name)}
              aria-label={`Brush ${name}`}
              title="Show only a part of this column"
              onClick={() => openBrush(name)}
            >
              <Icon name="brush" />
            </button>
          </>
        )}
      </div>
      {summary?.kind === "numbers" && (
        <>
          <Histogram summary={summary} at={at} />
          <span class="ends">
            <span>{valueWords(column, summary.low)}</span>
            <span>{valueWords(column, summary.high)}</span>
          </span>
        </>
      )}
      {summary?.kind === "levels" && <Levels summary={summary} at={at} />}
      {opened.value.has(name) && summary?.kind === "numbers" && <Range summary={summary} />}
      {percent !== undefined && !known && (
        <span class="track" title={`${shareWords(percent)} of the distance`}>
          <span class="bar" style={{ width: `${100 * share}%` }} />
        </span>
      )}
      <div class="column-foot">
        {rows.origin.kind === "file" ? (
          <select
            aria-label={`${name} is taken as`}
            value={asked ?? ""}
            onChange={(event) => take(event.currentTarget.value)}
          >
            <option value="">{asked === undefined ? columnWords(column) : "decide by its cells"}</option>
            {KINDS.filter((kind) => kind === asked || kind !== column.kind).map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
        ) : (
          <span class="kind">{columnWords(column)}</span>
        )}
        <small title={what}>{what}</small>
      </div>
    </li>
  );
}

/** "0.3 %", "12 %" */
export function shareWords(share: number): string {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

function openBrush(name: string): void {
  const next = new Set(opened.value);
  if (next.delete(name)) brush(name, undefined);
  else next.add(name);
  opened.value = next;
}

export function whatBecame(
  column: Column,
  made: FeatureColumn | undefined,
  { rows, known, off }: { readonly rows: number; readonly known: boolean; readonly off: boolean },
): string {
  const why = whyWords(column, rows);
  if (known) return `known classes, which no method sees; ${why}`;
  if (off) return `left out by you; ${why}`;
  if (made === undefined) return why;
  if (made.became === "" || made.weight === 0) return `${made.why}; ${why}`;
  return `becomes ${made.became}, weight ${made.weight.toFixed(2)}; ${why}`;
}

type Numbers = Extract<ColumnSummary, { kind: "numbers" }>;

/** Where the current drag across a histogram began. */
let start: number | undefined;

/** Dragging across it brushes a range; a click removes the brush. */
export function Histogram({ summary, at }: { readonly summary: Numbers; readonly at: number }): JSX.Element {
  const { name, low, high, counts, bins } = summary;
  const now = browsed.value?.counts?.[at];
  const chosen = brushes.value[name];
  const bars = (list: Uint32Array): string => {
    const most = Math.max(1, ...counts);
    return Array.from(list, (count, b) => {
      const height = (26 * count) / most;
      return count === 0 ? "" : `M${(100 * b) / bins} 28v${-Math.max(0.7, height)}h${96 / bins}V28z`;
    }).join("");
  };
  const whole = useMemo(() => bars(counts), [summary]);
  const range = chosen !== undefined && "from" in chosen ? chosen : undefined;
  const place = (value: number): number => (100 * (value - low)) / (high - low);
  const valueAt = (event: PointerEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    return low + (high - low) * Math.min(1, Math.max(0, (event.clientX - left) / (width || 1)));
  };
  return (
    <svg
      class="histogram"
      viewBox="0 0 100 28"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Histogram of ${name}`}
      onPointerDown={(event) => {
        start = valueAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const end = valueAt(event);
        if (Math.abs(place(end) - place(start)) < 1.5) return;
        brush(name, { from: Math.min(start, end), to: Math.max(start, end) });
        if (!opened.value.has(name)) opened.value = new Set(opened.value).add(name);
      }}
      onPointerUp={(event) => {
        if (start !== undefined && Math.abs(place(valueAt(event)) - place(start)) < 1.5)
          brush(name, undefined);
        start = undefined;
      }}
    >
      <path class={now === undefined ? "bars-now" : "bars-all"} d={whole} />
      {now !== undefined && <path class="bars-now" d={bars(now)} />}
      {range !== undefined && (
        <rect
          class="brushed"
          x={place(range.from)}
          width={Math.max(0.5, place(range.to) - place(range.from))}
          y="0"
          height="28"
        />
      )}
    </svg>
  );
}

/** The same by keyboard. */
function Range({ summary: { name, low, high } }: { readonly summary: Numbers }): JSX.Element {
  const chosen = brushes.value[name];
  const range = chosen !== undefined && "from" in chosen ? chosen : { from: low, to: high };
  const set = (part: Partial<typeof range>): void => {
    const next = { ...range, ...part };
    brush(name, next.from <= low && next.to >= high ? undefined : next);
  };
  const field = (end: "from" | "to"): JSX.Element => (
    <label>
      <span class="unseen">{name} </span>
      {end}{" "}
      <input
        type="number"
        step="any"
        value={Number(range[end].toPrecision(4))}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          set({ [end]: Number.isNaN(value) ? (end === "from" ? low : high) : value });
        }}
      />
    </label>
  );
  return (
    <div class="row range">
      {field("from")}
      {field("to")}
    </div>
  );
}

/** Levels with their counts; pressing some of them restricts the rows. */
export function Levels({
  summary,
  at: column,
}: {
  readonly summary: Extract<ColumnSummary, { kind: "levels" }>;
  readonly at: number;
}): JSX.Element {
  const { name, levels, all } = summary;
  const now = browsed.value?.counts?.[column];
  const most = Math.max(1, ...levels.map(({ count }) => count));
  const chosen = brushes.value[name];
  const pressed = new Set(chosen !== undefined && "levels" in chosen ? chosen.levels : []);
  const press = (code: number): void => {
    const next = new Set(pressed);
    if (!next.delete(code)) next.add(code);
    brush(name, next.size === 0 ? undefined : { levels: [...next] });
  };
  const listed = opened.value.has(name) ? levels : levels.slice(0, 3);
  return (
    <ul class="levels">
      {listed.map(({ code, level, count }, at) => (
        <li key={code}>
          <button type="button" aria-pressed={pressed.has(code)} onClick={() => press(code)}>
            <span class="level-bar all" style={{ width: `${(100 * count) / most}%` }} />
            <span class="level-bar" style={{ width: `${(100 * (now?.[at] ?? count)) / most}%` }} />
            <span class="level-name">
              <span class="unseen">{name}: </span>
              {level}
            </span>
            <span class="count">{(now?.[at] ?? count).toLocaleString("en")}</span>
            <span class="unseen"> rows</span>
          </button>
        </li>
      ))}
      {all > listed.length && (
        <li class="remark">
          and {all - listed.length} more {all - listed.length === 1 ? "level" : "levels"}
        </li>
      )}
    </ul>
  );
}
