import type { JSX } from "preact";
import type { Pair } from "kindred/data";
import {
  canMarkDifferent,
  canMarkSame,
  contradictions,
  isKept,
  markDifferent,
  markSame,
  MOST_MARKED,
  notInHere,
  removeHint,
  removeHints,
  removeStatement,
} from "../../app/hints/hints.ts";
import { change, settings } from "../../app/history.ts";
import { partition, rowName } from "../../app/shown/partition.ts";
import { first, focused, second, select } from "../../app/rows/selection.ts";
import { startJudging } from "../../app/hints/judging.ts";
import { method, table, takesHints } from "../../app/known.ts";
import type { Statement } from "../../protocol.ts";
import { Icon } from "../icons.tsx";

const LISTED = 60;

/** The user's hints: rows that are the same, rows that are different. */
export function HintsPanel(): JSX.Element | null {
  if (table.value === undefined) return null;
  const { same, different, statements } = settings.value;
  const [a, b] = [first.value.length, second.value.length];
  return (
    <section class="card" aria-labelledby="hints-title">
      <h2 id="hints-title">Hints</h2>
      <p class="groups">
        <span class="group first">Group 1: {a === 1 ? "1 row" : `${a} rows`}</span>
        <span class="group second">Group 2: {b === 1 ? "1 row" : `${b} rows`}</span>
      </p>
      <div class="row">
        <button type="button" disabled={!canMarkSame()} onClick={markSame}>
          Same
        </button>
        <button type="button" disabled={!canMarkDifferent()} onClick={markDifferent}>
          Different
        </button>
        <button type="button" disabled={a === 0 || b > 0} onClick={() => notInHere(first.value)}>
          Not in here
        </button>
        <button
          type="button"
          class="plain"
          disabled={a + b === 0}
          onClick={() => {
            select([], "first");
            select([], "second");
          }}
        >
          Clear
        </button>
      </div>
      <small>{advice(a, b)}</small>
      <button type="button" class="judge-start" disabled={table.value.rows < 3} onClick={startJudging}>
        Judge pairs of rows
      </button>
      {same.length + different.length + statements.length > 0 && (
        <>
          {!takesHints.value && (
            <p class="note">
              {method.value?.title} takes no hints.{" "}
              <button type="button" class="plain" onClick={() => change({ method: "hints", own: {} })}>
                Learn from them
              </button>
            </p>
          )}
          <Conflicts />
          <ul class="hints" aria-label="Hints given">
            {statements.map((said, at) => (
              // eslint-disable-next-line react/no-array-index-key
              <Said key={at} said={said} />
            ))}
            {same.slice(0, LISTED).map((pair) => (
              <Hint key={pair.join("=")} kind="same" pair={pair} />
            ))}
            {different.slice(0, LISTED).map((pair) => (
              <Hint key={pair.join("#")} kind="different" pair={pair} />
            ))}
          </ul>
          <p class="row">
            <small>
              {same.length} same, {different.length} different
              {statements.length > 0 && `, ${statements.length} about groups`}
            </small>
            <button
              type="button"
              class="plain"
              onClick={() => change({ same: [], different: [], statements: [], skipped: [] })}
            >
              Remove all
            </button>
          </p>
        </>
      )}
    </section>
  );
}

/** Contradictory hints: which one is set aside, and a button to remove it. */
function Conflicts(): JSX.Element | null {
  const list = contradictions.value;
  if (list.length === 0) return null;
  return (
    <ul class="conflicts" aria-label="Hints that contradict each other">
      {list.map((one) => (
        <li key={one.message}>
          {one.message.charAt(0).toUpperCase() + one.message.slice(1)}.{" "}
          {one.setAside.length > 0 && (
            <button type="button" class="plain" onClick={() => removeHints(one.setAside)}>
              Remove {one.setAside.length === 1 ? "the hint that is" : "the hints that are"} set aside
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function advice(a: number, b: number): string {
  if (a > MOST_MARKED || b > MOST_MARKED) return `Too many to mark: choose at most ${MOST_MARKED} rows.`;
  if (a + b === 0)
    return "Lasso or Shift-click points and say what you know; or drag a point onto a cluster (Put).";
  if (b === 0 && a !== 2)
    return "Same: they belong together. For Different, lasso a second group with Shift held.";
  return "Same: all of them belong together. Different: the two do not.";
}

/** One statement about many rows, as the user made it. */
function Said({ said }: { readonly said: Statement }): JSX.Element {
  const labels = partition.value?.labels;
  const kept = labels === undefined || isKept(said, labels);
  const kind = said.kind === "together" ? "same" : "different";
  const rows = (list: readonly number[]): string =>
    list.length <= 2 ? list.map(rowName).join(", ") : `${list.length} rows`;
  const text =
    said.kind === "together" ? `${rows(said.rows)} together` : `${rows(said.rows)} ≠ ${rows(said.others)}`;
  return (
    <li class={kept ? kind : `${kind} broken`}>
      <button
        type="button"
        class="plain"
        title="Choose these rows"
        onClick={() => {
          select(said.rows, "first");
          select(said.kind === "apart" ? said.others : [], "second");
        }}
      >
        {text}
      </button>
      {!kept && <small>not kept</small>}
      <button type="button" class="bare" aria-label={`Remove: ${text}`} onClick={() => removeStatement(said)}>
        <Icon name="close" />
      </button>
    </li>
  );
}

function Hint({ kind, pair }: { readonly kind: "same" | "different"; readonly pair: Pair }): JSX.Element {
  const [i, j] = pair;
  const labels = partition.value?.labels;
  const kept = labels === undefined || (labels[i] === labels[j]) === (kind === "same");
  return (
    <li class={kept ? kind : `${kind} broken`}>
      <button type="button" class="plain" onClick={() => (focused.value = i)}>
        {rowName(i)} {kind === "same" ? "=" : "≠"} {rowName(j)}
      </button>
      {!kept && <small>not kept</small>}
      <button
        type="button"
        class="bare"
        aria-label={`Remove: ${rowName(i)} and ${rowName(j)} are ${kind}`}
        onClick={() => removeHint(kind, pair)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
