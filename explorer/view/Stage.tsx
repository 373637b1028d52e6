import type { JSX } from "preact";
import { change, settings } from "../app/history.ts";
import { clustered, other, partition, places } from "../app/partition.ts";
import { solution, work } from "../app/known.ts";
import { clustersText } from "../app/solving.ts";
import { fitted } from "../plot/camera.ts";
import { pinnedTitle } from "./Compare.tsx";
import { Icon } from "./icons.tsx";
import { PathBar } from "./PathBar.tsx";
import { camera, lassoGroup, tool } from "../app/view.ts";
import { Scatter } from "./Scatter.tsx";

/** The plot, or two side by side, with its tools and the path below. */
export function Stage(): JSX.Element {
  const two = other.value !== undefined && clustered.value !== undefined;
  const count = partition.value?.sizes.length ?? 0;
  const title = solution.value === undefined ? "Not clustered yet" : clustersText(count);
  return (
    <section class="stage" aria-label="Plot">
      <Tools />
      <div class={two ? "plots two" : "plots"}>
        {two && <Scatter shown={other} title={pinnedTitle()} />}
        <Scatter shown={partition} title={title} />
        <Zoom />
        <Progress />
      </div>
      <p class="axes">{places.value?.axes.join(" · ")}</p>
      <PathBar />
    </section>
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

function Tools(): JSX.Element {
  const learned = solution.value?.learned !== undefined;
  return (
    <div class="tools" role="toolbar" aria-label="Plot tools">
      <div class="together">
        <button type="button" aria-pressed={tool.value === "move"} onClick={() => (tool.value = "move")}>
          <Icon name="move" /> Move
        </button>
        <button type="button" aria-pressed={tool.value === "lasso"} onClick={() => (tool.value = "lasso")}>
          <Icon name="lasso" /> Lasso
        </button>
      </div>
      {tool.value === "lasso" && (
        <div class="together">
          {(["first", "second"] as const).map((group, g) => (
            <button
              key={group}
              type="button"
              aria-pressed={lassoGroup.value === group}
              onClick={() => (lassoGroup.value = group)}
            >
              Group {g + 1}
            </button>
          ))}
        </div>
      )}
      {learned && (
        <div class="together">
          {(["learned", "plain"] as const).map((view) => (
            <button
              key={view}
              type="button"
              aria-pressed={settings.value.view === view}
              onClick={() => change({ view })}
            >
              {view === "learned" ? "Learned metric" : "Plain"}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Zoom(): JSX.Element {
  const zoom = (factor: number): void => {
    const { x, y, zoom: now } = camera.value;
    camera.value = { x, y, zoom: now * factor };
  };
  const fit = (): void => {
    const whole = places.value?.whole;
    const box = document.querySelector(".plot")?.getBoundingClientRect();
    if (whole !== undefined && box !== undefined) camera.value = fitted(whole, box);
  };
  return (
    <div class="zoom together" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={() => zoom(0.8)}>
        <Icon name="minus" />
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom(1.25)}>
        <Icon name="plus" />
      </button>
      <button type="button" aria-label="See all points" onClick={fit}>
        <Icon name="fit" />
      </button>
    </div>
  );
}
