import type { JSX } from "preact";
import type { Profile } from "kindred/model";
import { summaries } from "../../app/rows/browsing.ts";
import { valueWords } from "../../app/rows/cells.ts";
import { GREY } from "../../app/shown/colors.ts";
import { contrasts } from "../../app/rows/contrast.ts";
import { table } from "../../app/known.ts";
import type { Partition } from "../../app/shown/partition.ts";
import type { ColumnSummary } from "../../protocol.ts";

const COLUMNS = 4;
const LEVELS = 4;
/** A column in which a cluster differs less, in standard deviations, is not drawn. */
const WORTH = 0.5;
const HEIGHT = 30;
/** Letters of a level beside its bar, where two columns stand side by side. */
const SHORT = 6;

/** The columns that tell a cluster from the rest: the shares of its rows in colour, those of all other rows in grey. */
export function Contrast({
  k,
  shown,
  profile,
}: {
  readonly k: number;
  readonly shown: Partition;
  readonly profile: Profile;
}): JSX.Element | null {
  const found = contrasts.value;
  if (found?.of !== shown) return null;
  const names = new Set(
    profile.differences.filter(({ effect }) => Math.abs(effect) >= WORTH).map(({ column }) => column),
  );
  const columns = table.value?.columns ?? [];
  return (
    <div class="contrasts">
      {[...names].slice(0, COLUMNS).map((name) => {
        const summary = summaries.value.get(name);
        const at = columns.findIndex((column) => column.name === name);
        const counts = found.columns[at];
        if (summary === undefined || summary.kind === "other" || counts === undefined) return null;
        const slot = shown.slots[k];
        return summary.kind === "numbers" ? (
          <Numbers key={name} summary={summary} at={at} slot={slot} {...sharesOf(counts, k, summary.bins)} />
        ) : (
          <Levels key={name} summary={summary} slot={slot} {...sharesOf(counts, k, summary.levels.length)} />
        );
      })}
    </div>
  );
}

interface Shares {
  readonly own: readonly number[];
  readonly rest: readonly number[];
}

/** The shares of each place among the rows of cluster k, and among those of all other clusters. */
function sharesOf(counts: Uint32Array, k: number, width: number): Shares {
  const own: number[] = Array.from(counts.subarray(k * width, (k + 1) * width));
  const rest: number[] = own.map((count) => -count);
  for (let p = 0; p < counts.length; p++) rest[p % width] += counts[p];
  const shares = (list: number[]): number[] => {
    const sum = list.reduce((total, count) => total + count, 0);
    return list.map((count) => count / Math.max(1, sum));
  };
  return { own: shares(own), rest: shares(rest) };
}

type Summary<K> = Extract<ColumnSummary, { kind: K }>;

function Numbers({
  summary: { name, low, high, bins },
  at,
  slot,
  own,
  rest,
}: Shares & {
  readonly summary: Summary<"numbers">;
  readonly at: number;
  readonly slot: number;
}): JSX.Element {
  const most = Math.max(...own, ...rest);
  const bars = (shares: readonly number[], from: number, width: number): string =>
    shares
      .map((share, b) => {
        const height = (HEIGHT * share) / most;
        const x = (100 * (b + from)) / bins;
        return share === 0
          ? ""
          : `M${x} ${HEIGHT}v${-Math.max(0.7, height)}h${(100 * width) / bins}V${HEIGHT}z`;
      })
      .join("");
  const column = table.value!.columns[at];
  const [first, last] = [valueWords(column, low), valueWords(column, high)];
  return (
    <figure>
      <figcaption title={name}>{name}</figcaption>
      <svg
        class="histogram still"
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} from ${first} to ${last}: this cluster against the rest`}
      >
        <path class="bars-all" d={bars(rest, 0, 0.94)} />
        <path style={{ fill: colorOf(slot) }} d={bars(own, 0.22, 0.5)} />
      </svg>
      <span class="ends">
        <span>{first}</span>
        <span>{last}</span>
      </span>
    </figure>
  );
}

/** The levels in which the cluster differs most. */
function Levels({
  summary: { name, levels },
  slot,
  own,
  rest,
}: Shares & {
  readonly summary: Summary<"levels">;
  readonly slot: number;
}): JSX.Element {
  const order = [...levels.keys()]
    .sort((a, b) => Math.abs(own[b] - rest[b]) - Math.abs(own[a] - rest[a]))
    .slice(0, LEVELS);
  const wide = order.some((at) => levels[at].level.length > SHORT);
  return (
    <figure class={wide ? "wide" : ""}>
      <figcaption title={name}>{name}</figcaption>
      <ul class="shares">
        {order.map((at) => (
          <li key={levels[at].code}>
            <span class="level-name" title={levels[at].level}>
              {levels[at].level}
            </span>
            <span class="pair">
              <span style={{ width: `${100 * own[at]}%`, background: colorOf(slot) }} />
              <span class="rest" style={{ width: `${100 * rest[at]}%` }} />
            </span>
            <span class="count">{percent(own[at])}</span>
            <span class="unseen"> of the cluster, {percent(rest[at])} of the rest</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function colorOf(slot: number): string {
  return slot === GREY ? "var(--grey)" : `var(--c${slot & 15})`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
