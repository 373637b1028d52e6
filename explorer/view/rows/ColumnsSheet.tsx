import { signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { columnWords, type Column } from "kindred/data";
import { change, settings } from "../../app/history.ts";
import { became, solution, table } from "../../app/known.ts";
import { columnsOpen } from "../../app/rows/browsed.ts";
import { summaries } from "../../app/rows/browsing.ts";
import { valueWords } from "../../app/rows/cells.ts";
import { clustered, differing } from "../../app/shown/partition.ts";
import { clustersText, tryColumns } from "../../app/solve/solving.ts";
import type { Solution } from "../../protocol.ts";
import { Icon } from "../icons.tsx";
import { Histogram, Levels, shareWords, whatBecame } from "./Rail.tsx";

/** The columns to leave out, as they are tried; absent: those of the settings. */
const draft = signal<readonly string[] | undefined>(undefined);
/** The clustering without them. */
const tried = signal<{ readonly off: readonly string[]; readonly found: Solution } | undefined>(undefined);

/** Rows up to which a change of the columns is tried at once. */
const AT_ONCE = 20_000;

/** All columns over the map: contents, gaps, weight and reason; leaving some out is tried before it is decided. */
export function ColumnsSheet(): JSX.Element | null {
  const rows = table.value;
  useSignalEffect(() => {
    void table.value;
    draft.value = undefined;
  });
  useSignalEffect(() => {
    if (draft.value !== undefined && (rows?.rows ?? 0) <= AT_ONCE) void attempt();
  });
  if (rows === undefined) return null;
  const { off } = settings.value;
  const left = draft.value ?? off;
  const shares = new Map((solution.value?.features ?? []).map(({ column, weight }) => [column, weight]));
  const made = new Map(became.value.map((column) => [column.name, column]));
  const most = Math.max(1e-12, ...shares.values());
  const close = (): void => {
    columnsOpen.value = false;
    draft.value = undefined;
  };
  const toggle = (name: string, on: boolean): void => {
    draft.value = on ? left.filter((one) => one !== name) : [...left, name];
  };
  return (
    <section
      class="columns-sheet"
      aria-label="All columns"
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <header>
        <h3>Columns of {rows.source}</h3>
        <button type="button" class="bare" aria-label="Close the columns" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="columns-window">
        <table>
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">taken as</th>
              <th scope="col">contents</th>
              <th scope="col">missing</th>
              <th scope="col">of the distance</th>
              <th scope="col">why</th>
            </tr>
          </thead>
          <tbody>
            {rows.columns.map((column, at) => {
              const { name, missing } = column;
              const known = name === rows.label;
              const share = shares.get(name);
              const made_ = made.get(name);
              return (
                <tr key={name} class={made_?.weight === 0 || left.includes(name) ? "" : "used"}>
                  <th scope="row">
                    <label>
                      <input
                        type="checkbox"
                        checked={!known && !left.includes(name)}
                        disabled={known || rows.numbers !== undefined}
                        onChange={(event) => toggle(name, event.currentTarget.checked)}
                      />{" "}
                      {name}
                    </label>
                  </th>
                  <td>{columnWords(column)}</td>
                  <td>
                    <Contents column={column} at={at} />
                  </td>
                  <td class="number">{missing === 0 ? "" : shareWords(missing / rows.rows)}</td>
                  <td>
                    {share !== undefined && !known && (
                      <>
                        {shareWords(share)}
                        <span class="track">
                          <span class="bar" style={{ width: `${(100 * share) / most}%` }} />
                        </span>
                      </>
                    )}
                  </td>
                  <td>
                    <small>
                      {whatBecame(column, made_, { rows: rows.rows, known, off: off.includes(name) })}
                    </small>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {draft.value !== undefined && <Decision off={draft.value} close={close} />}
    </section>
  );
}

function Contents({ column, at }: { readonly column: Column; readonly at: number }): JSX.Element | null {
  const summary = summaries.value.get(column.name);
  if (summary?.kind === "levels") return <Levels summary={summary} at={at} />;
  if (summary?.kind !== "numbers") return null;
  return (
    <>
      <Histogram summary={summary} at={at} />
      <span class="ends">
        <span>{valueWords(column, summary.low)}</span>
        <span>{valueWords(column, summary.high)}</span>
      </span>
    </>
  );
}

/** Clusters without the columns of the draft; the page keeps its clusters. */
async function attempt(): Promise<void> {
  const off = draft.peek();
  if (off === undefined) return;
  const found = await tryColumns(off);
  if (found !== undefined && draft.peek() === off) tried.value = { off, found };
}

/** What would change, and the two ways out. */
function Decision({
  off,
  close,
}: {
  readonly off: readonly string[];
  readonly close: () => void;
}): JSX.Element {
  const known = tried.value?.off === off ? tried.value.found : undefined;
  return (
    <footer>
      <p role="status">{known === undefined ? "Not tried yet: what would change?" : changeWords(known)}</p>
      <div class="row">
        {known === undefined && (
          <button type="button" onClick={() => void attempt()}>
            Try
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            change({ off });
            close();
          }}
        >
          Take these columns
        </button>
        <button type="button" class="plain" onClick={() => (draft.value = undefined)}>
          As before
        </button>
      </div>
    </footer>
  );
}

function changeWords({ labels, sizes, trust }: Solution): string {
  const now = clustered.value;
  const word = solution.value?.trust?.word;
  if (now === undefined) return "";
  const moved = differing(labels, now.labels).reduce((sum, one) => sum + one, 0);
  return [
    sizes.length === now.sizes.length
      ? `Still ${clustersText(sizes.length)}`
      : `${clustersText(sizes.length)} instead of ${now.sizes.length}`,
    moved === 0
      ? "every row stays"
      : `${moved.toLocaleString("en")} of ${labels.length.toLocaleString("en")} rows would be elsewhere`,
    ...(trust === undefined || word === undefined
      ? []
      : [trust.word === word ? `trust stays ${word}` : `trust ${trust.word} instead of ${word}`]),
  ].join("; ");
}
