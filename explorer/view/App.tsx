import type { JSX } from "preact";
import { canRedo, canUndo, dataBefore, redo, settings, undo } from "../app/history.ts";
import { switchTheme } from "../app/theme.ts";
import { closeData, dropFile } from "../app/data/data.ts";
import { announcement, caution, problem, table, wantedFile } from "../app/known.ts";
import { clusterNow } from "../app/solve/solving.ts";
import { DataPanel } from "./rows/DataPanel.tsx";
import { HintsPanel } from "./hints/HintsPanel.tsx";
import { Icon, Logo } from "./icons.tsx";
import { judging } from "../app/hints/judging.ts";
import { later } from "./later.tsx";
import { narrow } from "../app/media.ts";
import { MethodPanel } from "./result/MethodPanel.tsx";
import { Sheet } from "./Sheet.tsx";
import { Side } from "./Side.tsx";
import { Stage } from "./plot/Stage.tsx";
import { Start } from "./Start.tsx";
import { TablePanel } from "./rows/TablePanel.tsx";
import { helpOpen, over } from "./everywhere.ts";

const Help = later(() => import("./Help.tsx").then((part) => part.Help));
const Judge = later(() => import("./hints/Judge.tsx").then((part) => part.Judge));

export function App(): JSX.Element {
  const { source } = settings.value;
  const started = source !== undefined && wantedFile.value === undefined;
  return (
    <div class={over.value ? "app over" : "app"}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        To the main part
      </a>
      <Bar started={started} />
      {started ? <Workbench /> : <Start />}
      <p class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </p>
      {judging.value && <Judge />}
      {helpOpen.value && <Help />}
    </div>
  );
}

/** The address holds the settings, so a link within the page must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Workbench(): JSX.Element {
  if (narrow.value) {
    return (
      <main class="work phone" id="main" tabIndex={-1}>
        <div class="middle">
          <Caution />
          <Problem />
          <Stage />
        </div>
        <Sheet>
          <Side />
          <TablePanel />
          <div class="panels">
            <MethodPanel />
            <HintsPanel />
            <DataPanel />
          </div>
        </Sheet>
      </main>
    );
  }
  return (
    <main class="work" id="main" tabIndex={-1}>
      <div class="panels">
        <MethodPanel />
        <HintsPanel />
        <DataPanel />
      </div>
      <div class="middle">
        <Caution />
        <Problem />
        <Stage />
        <TablePanel />
      </div>
      <Side />
    </main>
  );
}

function Bar({ started }: { readonly started: boolean }): JSX.Element {
  return (
    <header class="bar">
      <button type="button" class="brand" onClick={closeData} aria-label="Kindred: to the start">
        <Logo /> Kindred
      </button>
      {started && (
        <h1 class="source" title={settings.value.source?.name}>
          {settings.value.source?.name}
        </h1>
      )}
      {started && (
        <label class="button">
          <Icon name="file" /> <span class="wide-only">Open</span>
          <span class="unseen">another file</span>
          <input
            type="file"
            class="unseen"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) void dropFile(file);
              event.currentTarget.value = "";
            }}
          />
        </label>
      )}
      <span class="gap" />
      {started && (
        <span class="private">
          <Icon name="lock" /> Nothing leaves your browser
        </span>
      )}
      <button type="button" aria-label="Undo" disabled={!canUndo.value} onClick={undo}>
        <Icon name="undo" />
      </button>
      <button type="button" aria-label="Redo" disabled={!canRedo.value} onClick={redo}>
        <Icon name="redo" />
      </button>
      <button type="button" aria-label="Light or dark" onClick={switchTheme}>
        <Icon name="sun" />
      </button>
      <button type="button" aria-label="Help" onClick={() => (helpOpen.value = true)}>
        <Icon name="help" />
      </button>
    </header>
  );
}

function Caution(): JSX.Element | null {
  if (caution.value === undefined) return null;
  return (
    <div class="problem" role="alert">
      <p>{caution.value}</p>
      <button type="button" class="bare" aria-label="Dismiss" onClick={() => (caution.value = undefined)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Problem(): JSX.Element | null {
  const now = problem.value;
  if (now === undefined) return null;
  return (
    <div class="problem" role="alert">
      <p>{now.text}</p>
      {now.about === "data" && table.value === undefined && dataBefore.value !== undefined && (
        <button type="button" onClick={undo}>
          Back to {dataBefore.value}
        </button>
      )}
      {now.about === "data" && table.value === undefined && (
        <button type="button" onClick={closeData}>
          Open something else
        </button>
      )}
      {now.about === "method" && (
        <button type="button" onClick={clusterNow}>
          Try again
        </button>
      )}
      {now.about !== "data" && (
        <button type="button" class="bare" aria-label="Dismiss" onClick={() => (problem.value = undefined)}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
