import { signal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dotClass } from "../../app/shown/colors.ts";
import type { Profile } from "kindred/model";
import { adjustedRand, nmi } from "kindred/score";
import { change, settings } from "../../app/history.ts";
import { startJudging } from "../../app/hints/judging.ts";
import { calledNames, knownClasses, partition, stepNumber } from "../../app/shown/partition.ts";
import { highlighted, select } from "../../app/rows/selection.ts";
import { announcement, freeCounts, method, path, solution, table } from "../../app/known.ts";
import { countText } from "../../app/solve/pathStops.ts";
import { clustersText } from "../../app/solve/solving.ts";
import type { Solution } from "../../protocol.ts";
import { Icon } from "../icons.tsx";
import { Features } from "./Features.tsx";
import { later } from "../later.tsx";

const Taught = later(() => import("../hints/Taught.tsx").then((part) => part.Taught));

const LISTED = 50;
/** The cluster whose name is being written. */
const naming = signal<number | undefined>(undefined);
const MOST_ALONE = 3;

/** What was found. */
export function Result(): JSX.Element | null {
  const found = solution.value;
  if (found === undefined) return <p class="remark">There is no result yet.</p>;
  const at = stepNumber.value;
  return (
    <>
      <section aria-labelledby="clusters-title">
        <h3 id="clusters-title">
          {at === undefined
            ? clustersText(found.sizes.length)
            : `${countText(path.value!.steps[at].labels)} on the path`}
        </h3>
        {at === undefined && <TrustLine found={found} />}
        {at === undefined && found.gap !== undefined && <Proof gap={found.gap} />}
        <Agreement />
        {table.value?.label !== undefined && (
          <p class="remark">
            Agreement with {table.value.label},{" "}
            {found.given === true
              ? "which this method was given: it says nothing about unknown rows."
              : "which no method sees."}
          </p>
        )}
        {at === undefined && <Strip found={found} />}
        <Clusters profiles={at === undefined ? found.profiles : []} />
        <Unplaced found={found} />
      </section>
      {at === undefined && found.taught !== undefined && <Taught />}
      <Features found={found} />
      {at === undefined && <Facts found={found} />}
    </>
  );
}

/** How far the groups can be trusted: separate from the convergence of the solver. */
function TrustLine({ found: { trust, taught } }: { readonly found: Solution }): JSX.Element | null {
  if (trust === undefined) return null;
  return (
    <p class={`trust ${trust.word}`}>
      {trust.word === "none" ? "" : "How clear the groups are: "}
      <strong>{trust.word === "none" ? "No clear groups" : trust.word}</strong>.{" "}
      <small>
        {capital(trust.why)}.
        {trust.word !== "clear" && taught === undefined && table.value!.rows > 2 && (
          <>
            {" "}
            <button type="button" class="plain" onClick={startJudging}>
              Answers about some pairs
            </button>{" "}
            would make it surer.
          </>
        )}
      </small>
    </p>
  );
}

/** What the certificate says, and what it does not. */
function Proof({ gap }: { readonly gap: number }): JSX.Element {
  return (
    <p class="trust">
      <strong>Proved</strong>: under the distances that were used, no other solution has an objective that is
      lower by more than {gap.toExponential(0)} of it (the duality gap).{" "}
      <small>This is about the problem and its solver, not about whether the groups are real.</small>
    </p>
  );
}

/** The numbers of clusters tried: a taller bar means more support. */
function Strip({ found: { path = [], sizes } }: { readonly found: Solution }): JSX.Element | null {
  const free = freeCounts.value;
  const own = new Map([...(free?.path ?? []), ...path].map((entry) => [entry.clusters, entry]));
  const entries = [...own.values()].sort((a, b) => a.clusters - b.clusters);
  const bars = useRef<HTMLDivElement>(null);
  // The number on the screen is among the bars in sight.
  useEffect(() => {
    const pressed = bars.current?.querySelector<HTMLElement>("[aria-pressed=true]");
    if (pressed == null || bars.current === null) return;
    const { offsetLeft, offsetWidth } = pressed;
    const { clientWidth, offsetLeft: begin } = bars.current;
    bars.current.scrollLeft = offsetLeft - begin - (clientWidth - offsetWidth) / 2;
  }, [sizes.length, entries.length]);
  if (settings.value.method !== "auto" || entries.length < 3) return null;
  return (
    <div class="strip" role="group" aria-label="How well each number of clusters fits">
      <div class="strip-bars" ref={bars}>
        {entries.map(({ clusters, support }) => {
          const height = clusters === 1 ? 0 : Math.min(1, Math.max(0, support));
          const taken = clusters === free?.taken ? ", what the method takes" : "";
          const words = clusters === 1 ? "no groups" : `support ${support.toFixed(2)}`;
          const title = `${clustersText(clusters)}: ${words}${taken}`;
          return (
            <button
              key={clusters}
              type="button"
              aria-pressed={clusters === sizes.length}
              aria-label={title}
              title={title}
              onClick={() => change({ clusters })}
            >
              <span class="strip-bar" style={{ height: `${Math.max(2, 100 * height)}%` }} />
              <span class={taken === "" ? "strip-k" : "strip-k taken"}>{clusters}</span>
            </button>
          );
        })}
      </div>
      <small>
        How much the best grouping into each number of clusters agrees with all plausible groupings.
        {free !== undefined && ` The method takes ${free.taken}.`}
      </small>
    </div>
  );
}

/** Rows in no cluster, or rows that look so. */
function Unplaced({ found: { labels, outliers = [] } }: { readonly found: Solution }): JSX.Element | null {
  const none = useComputed(() => {
    const shown = partition.value?.labels ?? labels;
    const rows: number[] = [];
    for (let i = 0; i < shown.length; i++) if (shown[i] < 0) rows.push(i);
    return rows;
  });
  const rows = none.value.length > 0 ? none.value : outliers;
  if (rows.length === 0) return null;
  const count = rows.length === 1 ? "1 row" : `${rows.length.toLocaleString("en")} rows`;
  const words =
    none.value.length > 0
      ? `${count} in no cluster`
      : `${count} ${rows.length === 1 ? "looks as if it" : "look as if they"} belonged to no cluster`;
  return (
    <p class="unplaced">
      <span class="dot c12" /> {words}{" "}
      <button
        type="button"
        class="plain"
        onClick={() => {
          select(rows, "first");
          announcement.value = `${count} in group 1.`;
        }}
      >
        choose them
      </button>
    </p>
  );
}

function Agreement(): JSX.Element | null {
  const scores = useComputed(() => {
    const classes = knownClasses.value;
    const labels = partition.value?.labels;
    if (classes === undefined || labels === undefined) return undefined;
    return { adjustedRand: adjustedRand(labels, classes), nmi: nmi(labels, classes) };
  });
  if (scores.value === undefined) return null;
  const { adjustedRand: rand, nmi: information } = scores.value;
  return (
    <dl class="scores" aria-label={`Agreement with ${table.value?.label}`}>
      <div>
        <dt>Adjusted Rand</dt>
        <dd>{rand.toFixed(3)}</dd>
      </div>
      <div>
        <dt>NMI</dt>
        <dd>{information.toFixed(3)}</dd>
      </div>
    </dl>
  );
}

/** The clusters by name: press one to see only its rows, and what sets it apart. */
function Clusters({ profiles }: { readonly profiles: readonly Profile[] }): JSX.Element | null {
  const shown = partition.value;
  if (shown === undefined) return null;
  const rows = table.value?.rows ?? 1;
  const sizes = shown.sizes;
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const alone = order.filter((k) => sizes[k] === 1);
  // On the path most clusters are single rows, which share one line.
  const listed = order.filter((k) => alone.length <= MOST_ALONE || sizes[k] > 1).slice(0, LISTED);
  const rest = order.length - listed.length;
  return (
    <ul class="legend">
      {listed.map((k) => {
        const own = `cluster ${shown.names[k]}`;
        const pressed = highlighted.value === k;
        const named = profiles[k] !== undefined;
        const name = named ? calledNames.value[k] : `Cluster ${shown.names[k]}`;
        return (
          <li key={k}>
            <div class="legend-line">
              {naming.value === k ? (
                <NameField k={k} clusters={sizes.length} />
              ) : (
                <button
                  type="button"
                  aria-pressed={pressed}
                  onClick={() => (highlighted.value = pressed ? undefined : k)}
                >
                  <span class={dotClass(shown.slots[k])} />
                  <span class="cluster-name">
                    {named && <span class="unseen">{capital(own)}: </span>}
                    {name}
                  </span>
                  <span class="count">
                    {shown.sizes[k].toLocaleString("en")}{" "}
                    <small>{((100 * shown.sizes[k]) / rows).toFixed(0)} %</small>
                  </span>
                </button>
              )}
              {named && (
                <button
                  type="button"
                  class="bare"
                  aria-label={`Rename ${own}`}
                  title={`Rename ${own}`}
                  onClick={() => (naming.value = k)}
                >
                  <Icon name="pencil" />
                </button>
              )}
            </div>
            {pressed && named && <p>{profiles[k].words}</p>}
          </li>
        );
      })}
      {rest > 0 && <li class="rest">{others(rest, alone.length > MOST_ALONE ? alone.length : 0)}</li>}
    </ul>
  );
}

function NameField({ k, clusters }: { readonly k: number; readonly clusters: number }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const pencil = (): HTMLElement | null => field.current!.nextElementSibling as HTMLElement | null;
  return (
    <input
      ref={field}
      aria-label={`Name of cluster ${k}`}
      placeholder={solution.value?.names[k]}
      value={settings.value.names[k] ?? ""}
      onKeyDown={({ key }) => key === "Enter" && pencil()?.focus()}
      onChange={(event) => rename(k, event.currentTarget.value.trim(), clusters)}
      onBlur={() => {
        if (naming.value === k) naming.value = undefined;
      }}
    />
  );
}

/** An empty name restores the suggested one. */
function rename(k: number, name: string, clusters: number): void {
  const names = Array.from({ length: clusters }, (_, at) =>
    at === k ? name : (settings.value.names[at] ?? ""),
  );
  change({ names: names.some((one) => one !== "") ? names : [] });
  announcement.value = `Cluster ${k} is called ${calledNames.value[k]}.`;
}

function others(clusters: number, alone: number): string {
  const count = (many: number): string => many.toLocaleString("en");
  if (alone === 0) return `and ${count(clusters)} smaller clusters`;
  if (alone === clusters) return `and ${count(alone)} single rows`;
  return `and ${count(clusters - alone)} smaller clusters and ${count(alone)} single rows`;
}

function Facts({ found }: { readonly found: Solution }): JSX.Element {
  const time = found.seconds < 1 ? `${Math.round(1000 * found.seconds)} ms` : `${found.seconds.toFixed(1)} s`;
  return (
    <section aria-labelledby="facts-title">
      <h3 id="facts-title">How it went</h3>
      <dl class="facts">
        <dt>Method</dt>
        <dd>{method.value?.name === found.method ? method.value.title : found.method}</dd>
        <dt>Solver</dt>
        <dd class={found.converged ? "" : "warning"}>
          {found.converged ? "converged" : "did not converge"}{" "}
          <small>(about its objective, not the groups)</small>
        </dd>
        {found.facts.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
        <dt>Time</dt>
        <dd>{time}</dd>
      </dl>
      {found.warnings.length > 0 && (
        <ul class="notes">
          {found.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
