import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import type { FeatureScale, MissingCells } from "kindred/features";
import { keepOpened } from "../../app/data/data.ts";
import { change, settings } from "../../app/history.ts";
import { keptFiles } from "../../app/data/keptFiles.ts";
import { table } from "../../app/known.ts";
import { knownClasses } from "../../app/shown/partition.ts";
import { Rail } from "./Rail.tsx";

const SCALE_WORDS: Readonly<Record<FeatureScale, string>> = {
  auto: "by kind of column",
  zscore: "z-score (mean 0, sd 1)",
  minmax: "min-max (0 to 1)",
  robust: "robust (median, quartiles)",
  unit: "by angle (rows of length 1)",
  none: "as they are",
};
/** For a file of numbers only. */
const SPARSE_SCALES: readonly FeatureScale[] = ["auto", "minmax", "none"];
const MISSING_WORDS: Readonly<Record<MissingCells, string>> = {
  fill: "filled",
  drop: "leave the row out",
  refuse: "refuse the table",
};
const CLASSES: ReadonlySet<string> = new Set(["category", "ordered", "number"]);

/** Which columns count, and how. */
export function DataPanel(): JSX.Element | null {
  const rows = table.value;
  const classes = useComputed(() => new Set(knownClasses.value).size);
  if (rows === undefined) return null;
  const { scale, weights, missing, reading } = settings.value;
  const { label = "", columns, origin } = rows;
  const scales = Object.keys(SCALE_WORDS) as FeatureScale[];
  return (
    <section class="card" aria-labelledby="data-title">
      <h2 id="data-title">Data</h2>
      <p class="figure">
        <strong>{rows.rows.toLocaleString("en")}</strong> rows, <strong>{columns.length}</strong>{" "}
        {columns.length === 1 ? "column" : "columns"}
      </p>
      <Rail rows={rows} />
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
            ? "Used only to judge the result."
            : `${classes.value} classes; used only to judge the result.`}
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
        {origin.kind !== "sparse" && (
          <label class="field inline">
            <span>Missing cells</span>
            <select
              value={missing}
              onChange={(event) => change({ missing: event.currentTarget.value as MissingCells })}
            >
              {(Object.keys(MISSING_WORDS) as MissingCells[]).map((how) => (
                <option key={how} value={how}>
                  {MISSING_WORDS[how]}
                </option>
              ))}
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
