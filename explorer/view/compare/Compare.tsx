import type { JSX } from "preact";
import { change, settings } from "../../app/history.ts";
import { clustered, other } from "../../app/shown/partition.ts";
import { methodChoice } from "../../app/solve/solving.ts";
import { solution, table } from "../../app/known.ts";
import { Meeting } from "./Meeting.tsx";
import { Strip } from "./Strip.tsx";
import { onlyDiffering } from "../../app/rows/selection.ts";

/** A comparison of two partitions of the same rows. */
export function Compare(): JSX.Element {
  const { pinned } = settings.value;
  const labelled = table.value?.label !== undefined;
  return (
    <>
      <p class="remark">Keep the clustering on the screen, change anything, and see both side by side.</p>
      <div class="row">
        <button
          type="button"
          aria-pressed={pinned !== undefined && pinned !== "classes"}
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
      {clustered.value !== undefined && other.value !== undefined && (
        <Meeting left={other.value} right={clustered.value} named={pinned === "classes"} />
      )}
    </>
  );
}
