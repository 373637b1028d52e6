import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { settings } from "../app/history.ts";
import { path, solution } from "../app/known.ts";
import { stepNumber } from "../app/shown/partition.ts";
import { GAMMA, type Solution } from "../protocol.ts";
import { Icon } from "./icons.tsx";

const copied = signal("");

type Files = typeof import("../app/data/download.ts");

/** The code that writes files is loaded on first use. */
function save(act: (files: Files) => unknown): () => Promise<void> {
  return async () => void (await act(await import("../app/data/download.ts")));
}

/** The result as files, and the equivalent command and program. */
export function Export(): JSX.Element | null {
  const found = solution.value;
  if (found === undefined) return null;
  const hints = settings.value.same.length + settings.value.different.length;
  const again = equivalentNow(found);
  return (
    <>
      <div class="downloads">
        <button type="button" onClick={save(({ saveLabels }) => saveLabels())}>
          <Icon name="download" /> Labels <small>CSV</small>
        </button>
        <button type="button" onClick={save(({ savePicture }) => savePicture("map", "svg"))}>
          <Icon name="download" /> Map <small>SVG</small>
        </button>
        <button type="button" onClick={save(({ savePicture }) => savePicture("map", "png"))}>
          <Icon name="download" /> Map <small>PNG</small>
        </button>
        <button type="button" onClick={save(({ copyMap }) => copyMap())}>
          <Icon name="copy" /> Copy the map
        </button>
        {stepNumber.value === undefined && (found.path?.length ?? 0) > 2 && (
          <button type="button" onClick={save(({ savePicture }) => savePicture("numbers", "svg"))}>
            <Icon name="download" /> Numbers tried <small>SVG</small>
          </button>
        )}
        {/* A step of the path is a partition only. */}
        {stepNumber.value === undefined && (
          <>
            <button type="button" onClick={save(({ saveModel }) => saveModel())}>
              <Icon name="download" /> Model <small>JSON</small>
            </button>
            <button type="button" onClick={save(({ saveReport }) => saveReport())}>
              <Icon name="download" /> Report <small>HTML</small>
            </button>
          </>
        )}
        <button type="button" onClick={save(({ saveSession }) => saveSession())}>
          <Icon name="download" /> Session <small>.kindred.json</small>
        </button>
        {hints > 0 && (
          <button type="button" onClick={save(({ saveHints }) => saveHints())}>
            <Icon name="download" /> Hints <small>CSV</small>
          </button>
        )}
      </div>
      {settings.value.edits.length > 0 && (
        <p class="remark">
          Labels and report have the clusters as you merged and split them. The model, the command and the
          program give the clusters as they were found.
        </p>
      )}
      {again === undefined ? (
        <p class="remark">
          The labels are those of a step of the path in the learned metric, for which there is no single
          command.
        </p>
      ) : (
        <>
          <Listing title="The same by command" what="command" text={again.command} />
          <Listing title="The same by program" what="program" text={again.code} />
        </>
      )}
      <p class="remark">
        The session file holds settings, hints and names; open it as you open a table. The address of this
        page holds the same: keep it or send it to go on from here. Neither holds the data.
      </p>
    </>
  );
}

/** For the clustering or, on the path, for the current step. */
function equivalentNow(found: Solution): Pick<Solution, "command" | "code"> | undefined {
  const at = stepNumber.value;
  if (at === undefined || path.value === undefined) return found;
  const { equivalent, steps } = path.value;
  const fill = (text: string): string => text.replaceAll(GAMMA, String(steps[at].gamma));
  return equivalent && { command: fill(equivalent.command), code: fill(equivalent.code) };
}

function Listing({
  title,
  what,
  text,
}: {
  readonly title: string;
  readonly what: string;
  readonly text: string;
}): JSX.Element {
  return (
    <section class="listing">
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        <code>{text}</code>
      </pre>
      <button
        type="button"
        onClick={save(async ({ copy }) => {
          await copy(text, what);
          copied.value = text;
        })}
      >
        <Icon name="copy" /> {copied.value === text ? "Copied" : "Copy"}
      </button>
    </section>
  );
}
