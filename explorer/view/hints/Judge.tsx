import type { JSX } from "preact";
import type { Column } from "kindred/data";
import { summaries } from "../../app/rows/browsing.ts";
import { useEffect, useRef } from "preact/hooks";
import { cellWords, tellingColumns } from "../../app/rows/cells.ts";
import { settings } from "../../app/history.ts";
import { answer, given, judged, judging, nextPair, stopJudging, takeBack } from "../../app/hints/judging.ts";
import { rowName } from "../../app/shown/partition.ts";
import { solution, table, work } from "../../app/known.ts";
import { CellText } from "../rows/CellText.tsx";
import { Icon } from "../icons.tsx";

const LISTED = 40;

/** Two rows side by side, and the user's judgement. */
export function Judge(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (judging.value && dialog.current?.open === false) dialog.current.showModal();
    if (!judging.value && dialog.current?.open === true) dialog.current.close();
  }, [judging.value]);
  const said = judged.value;
  const question = said === undefined || said === "none" || said instanceof Error ? undefined : said;
  const pair = question?.pair;
  const { same, different } = settings.value;
  const keys: Readonly<Record<string, () => void>> = {
    s: () => answer("same"),
    d: () => answer("different"),
    x: () => answer("skip"),
    u: takeBack,
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key.toLowerCase()];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const answered = same.length + different.length;
  return (
    <dialog ref={dialog} class="judge" aria-labelledby="judge-title" onKeyDown={press} onClose={stopJudging}>
      {judging.value && (
        <>
          <div class="row spread">
            <h2 id="judge-title">Do these two belong together?</h2>
            <button type="button" class="bare" aria-label="Close" onClick={() => dialog.current?.close()}>
              <Icon name="close" />
            </button>
          </div>
          <p class="remark" role="status">
            {question !== undefined && `${capital(question.why)}.`}
            {said === undefined && "Looking for the most informative pair …"}
            {said === "none" && "There is nothing left to ask: your answers decide every pair."}
            {said instanceof Error && `The next pair could not be found. ${said.message}`}
            {question?.enough === true && " Further answers change little: you may stop."}
          </p>
          {said instanceof Error && (
            <button type="button" onClick={() => void nextPair()}>
              Try again
            </button>
          )}
          {pair !== undefined && <Pair a={pair[0]} b={pair[1]} />}
          <div class="row judge-keys">
            <button type="button" class="primary" aria-disabled={pair === undefined} onClick={keys.s}>
              Same <kbd>S</kbd>
            </button>
            <button type="button" class="primary" aria-disabled={pair === undefined} onClick={keys.d}>
              Different <kbd>D</kbd>
            </button>
            <button type="button" aria-disabled={pair === undefined} onClick={keys.x}>
              Skip <kbd>X</kbd>
            </button>
            <button type="button" aria-disabled={given.value === 0} onClick={takeBack}>
              Undo <kbd>U</kbd>
            </button>
          </div>
          <p class="remark">
            {answered === 1 ? "1 hint" : `${answered} hints`} so far. {learning()}
          </p>
        </>
      )}
    </dialog>
  );
}

function learning(): string {
  if (work.value !== undefined) return "Learning from them now; you can continue.";
  const taught = solution.value?.taught;
  if (taught === undefined) return "The rows are clustered again when you pause.";
  return `${Math.round(100 * taught.foreseen)} % of held-out hints were predicted; ${taught.moved.length} rows moved.`;
}

function Pair({ a, b }: { readonly a: number; readonly b: number }): JSX.Element | null {
  const rows = table.value;
  if (rows === undefined) return null;
  const columns = tellingColumns(rows.columns).filter(({ name }) => name !== rows.label);
  return (
    <div class="wide pair" tabIndex={0} role="region" aria-label="The two rows">
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{rowName(a)}</th>
            <th scope="col">{rowName(b)}</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, LISTED).map((column) => {
            const [left, right] = [cellWords(column, a), cellWords(column, b)];
            const differs = left !== "" && right !== "" && left !== right && isFar(column, a, b);
            return (
              <tr key={column.name} class={differs ? "differs" : ""}>
                <th scope="row">
                  <span class="clamped" title={column.name}>
                    {column.name}
                  </span>
                  {differs && <span class="unseen"> (differs)</span>}
                </th>
                <td>{left === "" ? <small>missing</small> : <CellText text={left} />}</td>
                <td>{right === "" ? <small>missing</small> : <CellText text={right} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Fraction of the middle 80 % of a column's range above which two numbers are far apart. */
const FAR = 0.2;

/** Numbers are nearly always different: only distant ones are marked. Names always are: none is marked. */
function isFar({ name, kind, values, levels }: Column, a: number, b: number): boolean {
  if (kind === "id") return false;
  const summary = summaries.value.get(name);
  if (values === undefined || levels !== undefined || summary?.kind !== "numbers") return true;
  const { low, high, bins, counts } = summary;
  const known = counts.reduce((sum, count) => sum + count, 0);
  let [sum, middle] = [0, 0];
  for (const count of counts) {
    if (sum + count > 0.1 * known && sum < 0.9 * known) middle++;
    sum += count;
  }
  return !(Math.abs(values[a] - values[b]) < (FAR * middle * (high - low)) / bins);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
