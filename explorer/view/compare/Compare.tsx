import type { JSX } from "preact";
import { change, settings } from "../../app/history.ts";
import { clustered, other } from "../../app/shown/partition.ts";
import { methodChoice } from "../../app/solve/solving.ts";
import { placed, solution, table } from "../../app/known.ts";
import { dropFile } from "../../app/data/data.ts";
import { MODEL } from "../../app/settings.ts";
import { Meeting } from "./Meeting.tsx";
import { Strip } from "./Strip.tsx";
import { onlyDiffering } from "../../app/rows/selection.ts";

/** A comparison of two partitions of the same rows. */
export function Compare(): JSX.Element {
  const { pinned } = settings.value;
  const labelled = table.value?.label !== undefined;
  return (
    <>
      <p class="remark">
        Keep the clustering on the screen, change anything, and see both side by side. Or see where a model
        file places these rows.
      </p>
      <div class="row">
        <button
          type="button"
          aria-pressed={typeof pinned === "object"}
          disabled={solution.value === undefined}
          onClick={() => change({ pinned: methodChoice(settings.value), gamma: undefined })}
        >
          Pin this result
        </button>
        {labelled && (
          <button
            type="button"
            aria-pressed={pinned === "classes"}
            onClick={() => change({ pinned: "classes", gamma: undefined })}
          >
            Known classes
          </button>
        )}
        <label class="button">
          By a model <span class="unseen">file</span>
          <input
            type="file"
            class="unseen"
            accept=".json"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) void dropFile(file);
              event.currentTarget.value = "";
            }}
          />
        </label>
        {pinned !== undefined && (
          <button
            type="button"
            aria-pressed={onlyDiffering.value}
            onClick={() => (onlyDiffering.value = !onlyDiffering.value)}
          >
            Where they differ
          </button>
        )}
        {pinned !== undefined && (
          <button type="button" class="plain" onClick={() => change({ pinned: undefined })}>
            Stop comparing
          </button>
        )}
      </div>
      <Strip />
      {typeof pinned === "string" && pinned.startsWith(MODEL) && <Model />}
      {clustered.value !== undefined && other.value !== undefined && (
        <Meeting left={other.value} right={clustered.value} named={pinned === "classes"} />
      )}
    </>
  );
}

/** The clusters of the model by name, and its notes about these rows. */
function Model(): JSX.Element {
  const model = placed.value;
  if (other.value === undefined || model === undefined)
    return <p class="remark">The model file has to be dropped again to place the rows.</p>;
  return (
    <section aria-labelledby="model-title">
      <h3 id="model-title">Placed by {model.name}</h3>
      <ul class="notes">
        {model.names.map((name, k) => (
          <li key={name}>
            {k}: {name}, {model.sizes[k].toLocaleString("en")} {model.sizes[k] === 1 ? "row" : "rows"}
          </li>
        ))}
        {model.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <p class="remark">“Labels” of Export has these clusters too.</p>
    </section>
  );
}
