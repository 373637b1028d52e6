import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { change, settings } from "../../app/history.ts";
import { stepNumber } from "../../app/shown/partition.ts";
import { path, solution, table } from "../../app/known.ts";
import type { FusionPath } from "../../protocol.ts";
import { still } from "../../app/media.ts";
import { countText, stopsOf } from "../../app/solve/pathStops.ts";
import { Icon } from "../icons.tsx";

const playing = signal(false);
const STEP_MS = 320;
/** Rows above which a path takes minutes rather than seconds. */
const SLOW = 2000;
/** Rows above which a path is not followed: the points would be a cloud, and the wait long. */
const MOST = 10_000;

/** The slider along the clusterpath: from separate rows to one cluster. */
export function PathBar(): JSX.Element | null {
  const at = stepNumber.value;
  const known = path.value;
  useEffect(() => {
    const timer = setInterval(() => {
      if (settings.value.gamma === undefined) playing.value = false;
      if (!playing.value) return;
      const [step, steps] = [stepNumber.value, path.value?.steps.length];
      if (step === undefined || steps === undefined) return;
      if (step >= steps - 1) playing.value = false;
      else change({ gamma: path.value!.steps[step + 1].gamma }, "path");
    }, STEP_MS);
    return () => clearInterval(timer);
  }, []);
  if (solution.value === undefined) return null;
  const rows = table.value?.rows ?? 0;
  if (settings.value.gamma === undefined) {
    return (
      <div class="path closed">
        <button
          type="button"
          disabled={rows > MOST}
          onClick={() => {
            playing.value = !still.value;
            change({ gamma: 0 }, "path");
          }}
        >
          Watch the points fuse
        </button>
        <small>
          {rows > MOST
            ? `The clusterpath can be watched with up to ${MOST.toLocaleString("en")} rows.`
            : "The clusterpath: as gamma grows, rows move together until all are one."}
          {rows > SLOW && rows <= MOST && " With this many rows it takes a while; it can be stopped."}
        </small>
      </div>
    );
  }
  if (known === undefined || at === undefined)
    return (
      <div class="path closed">
        <button type="button" onClick={leave}>
          Leave it
        </button>
        <small>Following the clusterpath …</small>
      </div>
    );
  const { gamma } = known.steps[at];
  const counted = countText(known.steps[at].labels);
  const stops = stopsOf(known);
  const stop = stops.findLastIndex((step) => step <= at);
  return (
    <div class="path">
      <button
        type="button"
        aria-label={playing.value ? "Pause" : "Play along the path"}
        onClick={() => {
          if (!playing.value && at === known.steps.length - 1)
            change({ gamma: known.steps[0].gamma }, "path");
          playing.value = !playing.value;
        }}
      >
        <Icon name={playing.value ? "pause" : "play"} />
      </button>
      <div class="path-track">
        <Staircase steps={stops.map((step) => known.steps[step])} at={stop} />
        <input
          type="range"
          aria-label="Along the clusterpath"
          aria-valuetext={`${counted} at gamma ${gamma.toPrecision(3)}`}
          min="0"
          max={stops.length - 1}
          step="1"
          value={stop}
          onInput={(event) => {
            playing.value = false;
            change({ gamma: known.steps[stops[Number(event.currentTarget.value)]].gamma }, "path");
          }}
        />
      </div>
      <output>
        <strong>{counted}</strong>
        <small>gamma {gamma === 0 ? "0" : gamma.toPrecision(3)}</small>
      </output>
      <button type="button" class="bare" aria-label="Leave the clusterpath" onClick={leave}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function leave(): void {
  playing.value = false;
  change({ gamma: undefined });
}

/** Clusters against the stops of the path, on a logarithmic scale: plateaus are numbers of clusters that last. */
function Staircase({ steps, at }: { readonly steps: FusionPath["steps"]; readonly at: number }): JSX.Element {
  const most = Math.log(Math.max(2, steps[0].clusters));
  const last = Math.max(1, steps.length - 1);
  const x = (s: number): number => (100 * s) / last;
  const y = (clusters: number): number => 26 - (24 * Math.log(clusters)) / most;
  const line = steps.map(({ clusters }, s) => `${s === 0 ? "M" : "L"}${x(s)} ${y(clusters)}`).join("");
  return (
    <svg class="staircase" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}L100 28L0 28Z`} />
      <path class="line" d={line} />
      <line class="at" x1={x(at)} x2={x(at)} y1="0" y2="28" />
    </svg>
  );
}
