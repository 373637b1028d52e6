import type { JSX } from "preact";
import { startJudging } from "../../app/hints/judging.ts";
import { announcement, solution } from "../../app/known.ts";
import { select } from "../../app/rows/selection.ts";

const LISTED = 8;

/** What the hints taught: how many were predicted, what moved, which columns count now. */
export function Taught(): JSX.Element | null {
  const taught = solution.value?.taught;
  if (taught === undefined) return null;
  const { answers, foreseen, guarded, moved, columns, advice } = taught;
  const shown = columns.filter(({ before, after }) => Math.max(before, after) >= 0.005).slice(0, LISTED);
  const most = Math.max(1e-12, ...shown.flatMap(({ before, after }) => [before, after]));
  const chosen = (rows: readonly number[]): void => {
    select(rows, "first");
    announcement.value = `${rows.length} rows in group 1.`;
  };
  const byVote = moved.filter(({ why }) => why === "vote").length;
  return (
    <section class="taught" aria-labelledby="taught-title">
      <h3 id="taught-title">What your hints changed</h3>
      <p class={guarded ? "note" : ""}>
        {guarded
          ? "The hints do not support a change, so the partition without them was kept, with the hints enforced."
          : moved.length === 0
            ? "The clusters without hints agree with them: nothing changed."
            : "The clusters follow what the hints taught."}
      </p>
      <dl class="facts">
        <dt>Foreseen</dt>
        <dd>
          {Math.round(100 * foreseen)} % of {answers === 1 ? "1 hint" : `${answers} hints`} when held out
          <small> (50 % is chance)</small>
        </dd>
        <dt>Moved</dt>
        <dd>
          {moved.length === 1 ? "1 row is" : `${moved.length.toLocaleString("en")} rows are`} elsewhere than
          without hints
          {moved.length > 0 && (
            <>
              , {byVote.toLocaleString("en")} of them by what was learned{" "}
              <button type="button" class="plain" onClick={() => chosen(moved.map(({ row }) => row))}>
                see them
              </button>
            </>
          )}
        </dd>
        <dt>Next</dt>
        <dd>{advice}</dd>
      </dl>
      {shown.some(({ before, after }) => before !== after) && (
        <table class="slopes">
          <caption>What each column counts for: without hints, and now</caption>
          <tbody>
            {shown.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <span class="track">
                    <span class="bar before" style={{ width: `${(100 * before) / most}%` }} />
                    <span class="bar" style={{ width: `${(100 * after) / most}%` }} />
                  </span>
                </td>
                <td class="number">
                  {percent(before)} → <strong>{percent(after)}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" onClick={startJudging}>
        Judge more pairs
      </button>
    </section>
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
