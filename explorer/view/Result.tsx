import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { adjustedRand, nmi } from "kindred/score";
import { partition, stepNumber } from "../app/partition.ts";
import { highlighted } from "../app/selection.ts";
import { method, path, solution, table } from "../app/known.ts";
import type { Solution } from "../protocol.ts";
import { Features } from "./Features.tsx";

const LISTED = 14;
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
            ? many(found.sizes.length)
            : `${many(path.value?.steps[at].clusters ?? 0)} on the path`}
        </h3>
        <Agreement />
        {table.value?.label !== undefined && (
          <p class="remark">Agreement with {table.value.label.name}, which no method sees.</p>
        )}
        <Clusters profiles={at === undefined ? found.profiles : []} />
      </section>
      <Features found={found} />
      {at === undefined && <Facts found={found} />}
    </>
  );
}

function many(clusters: number): string {
  return clusters === 1 ? "1 cluster" : `${clusters.toLocaleString("en")} clusters`;
}

function Agreement(): JSX.Element | null {
  const scores = useComputed(() => {
    const classes = table.value?.label?.values;
    const labels = partition.value?.labels;
    if (classes === undefined || labels === undefined) return undefined;
    return { adjustedRand: adjustedRand(labels, classes), nmi: nmi(labels, classes) };
  });
  if (scores.value === undefined) return null;
  const { adjustedRand: rand, nmi: information } = scores.value;
  return (
    <dl class="scores" aria-label={`Agreement with ${table.value?.label?.name}`}>
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

function Clusters({ profiles }: { readonly profiles: readonly string[] }): JSX.Element | null {
  const shown = partition.value;
  if (shown === undefined) return null;
  const rows = table.value?.rows ?? 1;
  const sizes = shown.sizes;
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const alone = order.filter((k) => sizes[k] === 1);
  // On the path most clusters are single rows, which one line is enough for.
  const listed = order.filter((k) => alone.length <= MOST_ALONE || sizes[k] > 1).slice(0, LISTED);
  const rest = order.length - listed.length;
  return (
    <ul class="legend">
      {listed.map((k) => (
        <li key={k}>
          <button
            type="button"
            aria-pressed={highlighted.value === k}
            onClick={() => (highlighted.value = highlighted.value === k ? undefined : k)}
          >
            <span class={`dot c${shown.slots[k]}`} />
            <span class="cluster-name">Cluster {shown.names[k]}</span>
            <span class="count">
              {shown.sizes[k].toLocaleString("en")}{" "}
              <small>{((100 * shown.sizes[k]) / rows).toFixed(0)} %</small>
            </span>
          </button>
          {profiles[k] !== undefined && <p>{profiles[k]}</p>}
        </li>
      ))}
      {rest > 0 && <li class="rest">{others(rest, alone.length > MOST_ALONE ? alone.length : 0)}</li>}
    </ul>
  );
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
        <dt>Converged</dt>
        <dd class={found.converged ? "" : "warning"}>{found.converged ? "yes" : "no"}</dd>
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
