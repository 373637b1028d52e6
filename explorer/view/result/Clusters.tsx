import { signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { dotClass } from "../../app/shown/colors.ts";
import type { Profile, Representatives } from "kindred/model";
import { editWords } from "../../app/solve/editWords.ts";
import { mergeClusters, splitCluster, takeBackEdits } from "../../app/solve/editing.ts";
import { settings } from "../../app/history.ts";
import { solution, table } from "../../app/known.ts";
import {
  calledNames,
  classes,
  clustered,
  rowName,
  stepNumber,
  type Partition,
} from "../../app/shown/partition.ts";
import { focused, highlighted } from "../../app/rows/selection.ts";
import { clustersText } from "../../app/solve/solving.ts";
import { Contrast } from "./Contrast.tsx";
import { Dendrogram } from "./Dendrogram.tsx";
import { HeatMap } from "./HeatMap.tsx";
import { Meeting } from "../compare/Meeting.tsx";

const LISTED = 60;
/** Clusters selected for merging. */
const chosen = signal<ReadonlySet<number>>(new Set());

/** The clusters one by one: their rows, their distinguishing columns, and the possible actions. */
export function Clusters(): JSX.Element {
  const shown = clustered.value;
  const found = solution.value;
  const order = useComputed(() => {
    const { sizes = [] } = clustered.value ?? {};
    return [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  });
  if (shown === undefined || found === undefined) return <p class="remark">There is no result yet.</p>;
  if (stepNumber.value !== undefined)
    return <p class="remark">Leave the clusterpath to work on the clusters that were found.</p>;
  const merging = [...chosen.value].filter((k) => k < shown.sizes.length);
  const { tree, representatives, profiles } = found;
  return (
    <>
      <section aria-labelledby="objects-title">
        <h3 id="objects-title">{clustersText(shown.sizes.length)}, largest first</h3>
        <p class="remark">Shares of the rows of a cluster in its colour, of all other rows in grey.</p>
        <Edits />
        <ul class="objects">
          {order.value.slice(0, LISTED).map((k) => (
            <One key={k} k={k} shown={shown} profile={profiles[k]} rows={representatives[k]} />
          ))}
        </ul>
        {order.value.length > LISTED && (
          <p class="remark">and {order.value.length - LISTED} smaller clusters</p>
        )}
        <button
          type="button"
          aria-disabled={merging.length < 2}
          onClick={() => {
            if (merging.length < 2) return;
            mergeClusters(merging);
            chosen.value = new Set();
          }}
        >
          {merging.length < 2 ? "Tick clusters to merge them" : `Merge ${merging.length} clusters`}
        </button>
      </section>
      <HeatMap profiles={profiles} shown={shown} order={order.value} />
      {tree !== undefined && <Dendrogram tree={tree} shown={shown} />}
      {classes.value !== undefined && (
        <section aria-labelledby="known-title">
          <h3 id="known-title">Against {table.value?.label}</h3>
          <Meeting left={classes.value} right={shown} named />
        </section>
      )}
    </>
  );
}

/** The manual changes, and undo. */
function Edits(): JSX.Element | null {
  const { edits } = settings.value;
  if (edits.length === 0) return null;
  return (
    <div class="note">
      By hand: {edits.map(editWords).join(", ")}.
      <div class="row">
        <button type="button" class="plain" onClick={() => takeBackEdits(false)}>
          Take back the last
        </button>
        <button type="button" class="plain" onClick={() => takeBackEdits(true)}>
          Back to the clusters found
        </button>
      </div>
    </div>
  );
}

function One({
  k,
  shown,
  profile,
  rows,
}: {
  readonly k: number;
  readonly shown: Partition;
  readonly profile: Profile | undefined;
  readonly rows: Representatives | undefined;
}): JSX.Element {
  const name = calledNames.value[k] ?? shown.names[k];
  const tick = (on: boolean): void => {
    const next = new Set(chosen.value);
    if (on) next.add(k);
    else next.delete(k);
    chosen.value = next;
  };
  return (
    <li class={highlighted.value === k ? "only" : ""}>
      <div class="object-head">
        <input
          type="checkbox"
          aria-label={`Cluster ${shown.names[k]}, to merge`}
          checked={chosen.value.has(k)}
          onChange={(event) => tick(event.currentTarget.checked)}
        />
        <span class={dotClass(shown.slots[k])} />
        <strong>{shown.names[k]}</strong>
        <span class="object-name">{name}</span>
        <span class="count">{shown.sizes[k].toLocaleString("en")}</span>
      </div>
      {profile !== undefined && <Contrast k={k} shown={shown} />}
      <details>
        <summary>
          Rows and actions <span class="unseen">of cluster {shown.names[k]}</span>
        </summary>
        {profile !== undefined && <p class="remark">{profile.words}</p>}
        {rows !== undefined && <Listed title="Typical" rows={rows.typical} />}
        {rows !== undefined && <Listed title="Borderline" rows={rows.borderline} />}
        <div class="row">
          <button
            type="button"
            aria-pressed={highlighted.value === k}
            onClick={() => (highlighted.value = highlighted.value === k ? undefined : k)}
          >
            Show only these
          </button>
          <button type="button" disabled={shown.sizes[k] < 3} onClick={() => splitCluster(k)}>
            Split
          </button>
          <button type="button" disabled={shown.sizes[k] < 3} onClick={() => splitCluster(k, 2)}>
            Halve
          </button>
          {(["svg", "png"] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              onClick={async () => (await import("../../app/data/download.ts")).savePicture(k, kind)}
            >
              Picture <small>{kind.toUpperCase()}</small>
            </button>
          ))}
        </div>
      </details>
    </li>
  );
}

function Listed({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly number[];
}): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <p class="listed">
      {title}:{" "}
      {rows.map((row) => (
        <button key={row} type="button" class="plain" onClick={() => (focused.value = row)}>
          {rowName(row)}
        </button>
      ))}
    </p>
  );
}
