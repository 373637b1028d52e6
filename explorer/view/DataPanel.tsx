import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { columnWords, whyWords, type Column } from "kindred/data";
import type { FeatureColumn, FeatureScale } from "kindred/features";
import { keepOpened } from "../app/data.ts";
import { change, settings } from "../app/history.ts";
import { keptFiles } from "../app/keptFiles.ts";
import { became, table } from "../app/known.ts";
import { knownClasses } from "../app/partition.ts";
import type { TableData } from "../protocol.ts";

const SCALE_WORDS: Readonly<Record<FeatureScale, string>> = {
  auto: "by kind of column",
  zscore: "z-score (mean 0, sd 1)",
  minmax: "min-max (0 to 1)",
  robust: "robust (median, quartiles)",
  unit: "by angle (rows of length 1)",
  none: "as they are",
};
/** Of a file of numbers alone. */
const SPARSE_SCALES: readonly FeatureScale[] = ["auto", "minmax", "none"];
const KINDS = ["number", "category", "date", "text", "id"] as const;
const CLASSES: ReadonlySet<string> = new Set(["category", "ordered", "number"]);
const LISTED = 200;

/** Which columns count, and how. */
export function DataPanel(): JSX.Element | null {
  const rows = table.value;
  const classes = useComputed(() => new Set(knownClasses.value).size);
  if (rows === undefined) return null;
  const { scale, weights, reading } = settings.value;
  const { label = "", columns, origin } = rows;
  const scales = Object.keys(SCALE_WORDS) as FeatureScale[];
  return (
    <section class="card" aria-labelledby="data-title">
      <h2 id="data-title">Data</h2>
      <p class="figure">
        <strong>{rows.rows.toLocaleString("en")}</strong> rows, <strong>{columns.length}</strong>{" "}
        {columns.length === 1 ? "column" : "columns"}
      </p>
      <Columns rows={rows} />
      <label class="field">
        <span>Known classes</span>
        <select
          value={label}
          onChange={(event) => change({ reading: { ...reading, label: event.currentTarget.value } })}
        >
          <option value="">none</option>
          {columns
            .filter(({ kind, name }) => CLASSES.has(kind) || name === label)
            .map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </select>
        <small>
          {label === ""
            ? "Only ever used to judge the result."
            : `${classes.value} classes; only used to judge the result.`}
        </small>
      </label>
      <details>
        <summary>Scaling and weights</summary>
        <label class="field inline">
          <span>Scaling</span>
          <select
            value={scale}
            onChange={(event) => change({ scale: event.currentTarget.value as FeatureScale })}
          >
            {(origin.kind === "sparse" ? SPARSE_SCALES : scales).map((kind) => (
              <option key={kind} value={kind}>
                {SCALE_WORDS[kind]}
              </option>
            ))}
          </select>
        </label>
        {origin.kind !== "sparse" && (
          <label class="field inline">
            <span>Weights</span>
            <select
              value={weights}
              onChange={(event) => change({ weights: event.currentTarget.value as "auto" | "equal" })}
            >
              <option value="auto">by what a column tells about others</option>
              <option value="equal">all columns the same</option>
            </select>
          </label>
        )}
      </details>
      {origin.kind !== "named" && (
        <label class="field inline keep">
          <input
            type="checkbox"
            checked={keptFiles.value.includes(rows.source)}
            onChange={(event) => void keepOpened(event.currentTarget.checked)}
          />
          <span>
            Keep this file in this browser <small>so that a reload finds it; it goes nowhere else</small>
          </span>
        </label>
      )}
      {rows.notes.length > 0 && (
        <ul class="notes">
          {rows.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What each column is taken as, why, and what it becomes: each can be changed. */
function Columns({ rows }: { readonly rows: TableData }): JSX.Element | null {
  const made = useComputed(() => new Map(became.value.map((column) => [column.name, column])));
  const { off } = settings.value;
  if (rows.numbers !== undefined) {
    return <p class="remark">A LIBSVM file: its {rows.numbers.X.cols} numbers are taken as they are.</p>;
  }
  const names = rows.columns.map(({ name }) => name).filter((name) => name !== rows.label);
  const used = names.filter((name) => !off.includes(name) && made.value.get(name)?.weight !== 0);
  return (
    <details class="columns" open={names.length <= 30}>
      <summary>
        Columns in use: {used.length} of {names.length}
      </summary>
      <div class="row">
        <button type="button" disabled={off.length === 0} onClick={() => change({ off: [] })}>
          Use all
        </button>
        <button type="button" onClick={() => change({ off: names.slice(1) })}>
          Only the first
        </button>
      </div>
      <ul class="decisions" aria-label="Columns">
        {rows.columns.slice(0, LISTED).map((column) => (
          <Decision key={column.name} column={column} made={made.value.get(column.name)} rows={rows} />
        ))}
      </ul>
      {rows.columns.length > LISTED && <p class="remark">and {rows.columns.length - LISTED} more columns</p>}
    </details>
  );
}

function Decision({
  column,
  made,
  rows,
}: {
  readonly column: Column;
  readonly made: FeatureColumn | undefined;
  readonly rows: TableData;
}): JSX.Element {
  const { off, reading } = settings.value;
  const { name } = column;
  const known = name === rows.label;
  const toggle = (on: boolean): void =>
    change({ off: on ? off.filter((one) => one !== name) : [...off, name] });
  const take = (kind: string): void => {
    const { [name]: _, ...rest } = reading.as;
    change({ reading: { ...reading, as: kind === "" ? rest : { ...rest, [name]: kind } } });
  };
  const asked = reading.as[name];
  return (
    <li class={!known && made?.weight !== 0 && !off.includes(name) ? "used" : ""}>
      <label>
        <input
          type="checkbox"
          checked={!known && !off.includes(name)}
          disabled={known}
          ref={(box) => {
            // Neither on nor off: the library left it out.
            if (box !== null) box.indeterminate = !known && !off.includes(name) && made?.weight === 0;
          }}
          onChange={(event) => toggle(event.currentTarget.checked)}
        />
        <span class="column-name">{name}</span>
      </label>
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
      <small>{whatBecame(column, made, { rows: rows.rows, known, off: off.includes(name) })}</small>
      {made !== undefined && made.weight > 0 && !known && (
        <span class="track" title={`weight ${made.weight.toFixed(2)}`}>
          <span class="bar" style={{ width: `${Math.min(100, 100 * made.weight)}%` }} />
        </span>
      )}
    </li>
  );
}

function whatBecame(
  column: Column,
  made: FeatureColumn | undefined,
  { rows, known, off }: { readonly rows: number; readonly known: boolean; readonly off: boolean },
): string {
  const why = whyWords(column, rows);
  if (known) return `${why}; known classes, no method sees them`;
  if (off) return `${why}; left out by you`;
  if (made === undefined) return why;
  if (made.became === "" || made.weight === 0) return `${why}; ${made.why}`;
  return `${why}; becomes ${made.became}, weight ${made.weight.toFixed(2)}`;
}
