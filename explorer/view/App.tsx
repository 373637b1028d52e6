import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { canRedo, canUndo, redo, settings, undo } from "../app/history.ts";
import { theme } from "../app/partition.ts";
import { announcement, closeData, dropFile, problem, table, wantedFile, work } from "../app/session.ts";
import { DataPanel, MissingChoice } from "./DataPanel.tsx";
import { Help, helpOpen } from "./Help.tsx";
import { HintsPanel } from "./HintsPanel.tsx";
import { Icon, Logo } from "./icons.tsx";
import { MethodPanel } from "./MethodPanel.tsx";
import { Side } from "./Side.tsx";
import { Stage } from "./Stage.tsx";
import { Privacy, Start } from "./Start.tsx";

const over = signal(false);

export function App(): JSX.Element {
  useEffect(listen, []);
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
      <Help />
    </div>
  );
}

/** The address holds the settings, so a link within the page must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Workbench(): JSX.Element {
  return (
    <main class="work" id="main" tabIndex={-1}>
      <div class="panels">
        <DataPanel />
        <MethodPanel />
        <HintsPanel />
        <Privacy />
      </div>
      <div class="middle">
        <Progress />
        <Problem />
        <Stage />
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
      {started && <span class="source">{settings.value.source?.name}</span>}
      {started && (
        <label class="button">
          <Icon name="file" /> <span class="wide-only">Open</span>
          <span class="unseen">another file</span>
          <input
            type="file"
            class="unseen"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) dropFile(file);
              event.currentTarget.value = "";
            }}
          />
        </label>
      )}
      <span class="gap" />
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

function Progress(): JSX.Element | null {
  const now = work.value;
  if (now === undefined) return null;
  return (
    <div class="progress" role="group" aria-label="Under way">
      <span>{now.label}</span>
      <progress max="1" value={now.fraction} aria-label={now.label} />
      <button type="button" onClick={now.cancel}>
        Stop
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
      {now.about === "data" && /missing/.test(now.text) && <MissingChoice />}
      {now.about === "data" && table.value === undefined && (
        <button type="button" onClick={closeData}>
          Open something else
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

function switchTheme(): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  theme.value++;
}

/** Files may be dropped anywhere; undo works everywhere but in fields of text. */
function listen(): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const on = <K extends keyof WindowEventMap>(kind: K, act: (event: WindowEventMap[K]) => void): void =>
    addEventListener(kind, act, { signal });
  on("dragover", (event) => {
    event.preventDefault();
    over.value = true;
  });
  on("dragleave", (event) => {
    if (event.relatedTarget === null) over.value = false;
  });
  on("drop", (event) => {
    event.preventDefault();
    over.value = false;
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) dropFile(file);
  });
  on("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "number";
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme.value++, { signal });
  return () => stop.abort();
}
