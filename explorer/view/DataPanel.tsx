import type { JSX } from "preact";
import type { Missing, ScaleKind } from "kindred/data";
import { change, settings } from "../app/history.ts";
import { table } from "../app/known.ts";
import type { ColumnInfo, TableData } from "../protocol.ts";

const SCALES: readonly (readonly [ScaleKind, string])[] = [
  ["zscore", "z-score (mean 0, sd 1)"],
  ["minmax", "min-max (0 to 1)"],
  ["none", "as they are"],
];

/** Which columns count, and how. */
export function DataPanel(): JSX.Element | null {
  const rows = table.value;
  if (rows === undefined) return null;
  const { scale, reading, source } = settings.value;
  const label = rows.label?.name ?? "";
  const classes = new Set(rows.label?.values).size;
  return (
    <section class="card" aria-labelledby="data-title">
      <h2 id="data-title">Data</h2>
      <p class="figure">
        <strong>{rows.rows.toLocaleString("en")}</strong> rows, <strong>{rows.names.length}</strong>{" "}
        {rows.names.length === 1 ? "feature" : "features"}
      </p>
      <label class="field">
        <span>Known classes</span>
        <select
          value={label}
          onChange={(event) => change({ reading: { ...reading, label: event.currentTarget.value } })}
        >
          <option value="">none</option>
          {labelChoices(rows, source?.kind === "named").map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <small>
          {label === ""
            ? "Only ever used to judge the result."
            : `${classes} classes; only used to judge the result.`}
        </small>
      </label>
      <label class="field">
        <span>Scaling</span>
        <select value={scale} onChange={(event) => change({ scale: event.currentTarget.value as ScaleKind })}>
          {SCALES.map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Columns rows={rows} />
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

/** Missing cells are refused by the reader; this is the way on. */
export function MissingChoice(): JSX.Element {
  const { reading } = settings.value;
  const choose = (missing: Missing): void => change({ reading: { ...reading, missing } });
  return (
    <div class="row">
      <button type="button" onClick={() => choose("median")}>
        Fill in the column's median
      </button>
      <button type="button" onClick={() => choose("drop")}>
        Leave these rows out
      </button>
    </div>
  );
}

/** A named set has one column of classes; in a file it may be any. */
function labelChoices({ columns }: TableData, named: boolean): ColumnInfo[] {
  return named ? columns.filter(({ text }) => text) : columns.filter(({ role }) => role !== "encoded");
}

function Columns({ rows }: { readonly rows: TableData }): JSX.Element {
  const { off, reading, source } = settings.value;
  const texts = rows.columns.filter(({ text, role }) => text && role !== "label" && source?.kind !== "named");
  const switchFeature = (name: string, on: boolean): void =>
    change({ off: on ? off.filter((one) => one !== name) : [...off, name] });
  const encode = (name: string, on: boolean): void =>
    change({
      reading: {
        ...reading,
        encode: on ? [...reading.encode, name] : reading.encode.filter((one) => one !== name),
      },
    });
  return (
    <details class="columns">
      <summary>
        Features in use: {rows.names.length - off.filter((name) => rows.names.includes(name)).length} of{" "}
        {rows.names.length}
      </summary>
      <div class="row">
        <button type="button" onClick={() => change({ off: [] })}>
          All
        </button>
        <button type="button" onClick={() => change({ off: rows.names.slice(1) })}>
          Only the first
        </button>
      </div>
      <ul class="checks">
        {rows.names.map((name) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={!off.includes(name)}
                onChange={(event) => switchFeature(name, event.currentTarget.checked)}
              />
              {name}
            </label>
          </li>
        ))}
        {texts.map(({ name, role }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={reading.encode.includes(name)}
                onChange={(event) => encode(name, event.currentTarget.checked)}
              />
              {name} <small>text{role === "id" ? ", names the rows" : ""}: encode as 0 and 1</small>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
