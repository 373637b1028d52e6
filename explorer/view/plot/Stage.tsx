import type { JSX } from "preact";
import { change, settings } from "../../app/history.ts";
import { CONTOURED, contoured, density } from "../../app/shown/density.ts";
import { clustered, coloring, other, partition, places, stepNumber } from "../../app/shown/partition.ts";
import { countText } from "../../app/solve/pathStops.ts";
import { layout, path, solution, table, work } from "../../app/known.ts";
import { clustersText } from "../../app/solve/solving.ts";
import { brushes, columnsOpen } from "../../app/rows/browsed.ts";
import { brush } from "../../app/rows/browsing.ts";
import { still } from "../../app/media.ts";
import { fitted } from "../../plot/camera.ts";
import { colorName } from "../../plot/palette.ts";
import { pinnedTitle } from "../../app/shown/pinnedTitle.ts";
import { Icon } from "../icons.tsx";
import { later } from "../later.tsx";
import { PathBar } from "./PathBar.tsx";
import { camera, lassoGroup, tool } from "../../app/shown/view.ts";
import { Scatter } from "./Scatter.tsx";

const ColumnsSheet = later(() => import("../rows/ColumnsSheet.tsx").then((part) => part.ColumnsSheet));

/** The plot, or two side by side, with its tools and the path below. */
export function Stage(): JSX.Element {
  const two = other.value !== undefined && clustered.value !== undefined;
  const count = partition.value?.sizes.length ?? 0;
  const at = stepNumber.value;
  const title =
    solution.value === undefined
      ? "Not clustered yet"
      : at === undefined
        ? clustersText(count)
        : countText(path.value!.steps[at].labels);
  return (
    <section class="stage" aria-label="Plot">
      <Tools />
      <div class={two ? "plots two" : "plots"}>
        {two && <Scatter shown={other} title={pinnedTitle()} />}
        <Scatter shown={partition} title={title} />
        <Zoom />
        <Progress />
      </div>
      <div class="axes">
        <span>
          {[...(places.value?.axes ?? []), ...notes()].filter((text) => text !== "").join(" · ")}
          <Contours />
        </span>
        <Legend />
      </div>
      <PathBar />
      {columnsOpen.value && <ColumnsSheet />}
    </section>
  );
}

/** The notes about the view. */
function notes(): readonly string[] {
  return settings.value.view === "layout" ? (layout.value?.notes ?? []) : [];
}

/** The legend of the lines over very many points. */
function Contours(): JSX.Element | null {
  if ((table.value?.rows ?? 0) <= CONTOURED || places.value === undefined) return null;
  return (
    <>
      {density.value.length > 0 && " · Lines hold 25, 50, 75, 95 % of the rows"}{" "}
      <button type="button" class="plain" onClick={() => (contoured.value = !contoured.value)}>
        {contoured.value ? "Hide" : "Show"} <span class="unseen">lines of</span> density
      </button>
    </>
  );
}

function Progress(): JSX.Element | null {
  const now = work.value;
  if (now === undefined) return null;
  return (
    <div class="progress" role="group" aria-label="Under way">
      <span>{now.label}</span>
      <progress max="1" value={now.fraction || (still.value ? 0 : undefined)} aria-label={now.label} />
      <button type="button" onClick={now.cancel}>
        Stop
      </button>
    </div>
  );
}

function Tools(): JSX.Element {
  const learned = solution.value?.learned !== undefined;
  return (
    <div class="tools" role="group" aria-label="Plot tools">
      <div class="together">
        <button
          type="button"
          title="Move"
          aria-pressed={tool.value === "move"}
          onClick={() => (tool.value = "move")}
        >
          <Icon name="move" /> <span class="tool-name">Move</span>
        </button>
        <button
          type="button"
          title="Lasso"
          aria-pressed={tool.value === "lasso"}
          onClick={() => (tool.value = "lasso")}
        >
          <Icon name="lasso" /> <span class="tool-name">Lasso</span>
        </button>
        <button
          type="button"
          title="Drag a point onto its cluster"
          aria-pressed={tool.value === "put"}
          onClick={() => (tool.value = "put")}
        >
          <Icon name="put" /> <span class="tool-name">Put</span>
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
      <Views learned={learned} />
    </div>
  );
}

const VIEW_WORDS = {
  learned: "Learned",
  plain: "Plain",
  layout: "Neighbours",
  columns: "Two columns",
} as const;
const DRAWN: ReadonlySet<string> = new Set(["number", "category", "ordered", "date"]);

/** Where to look from. */
function Views({ learned }: { readonly learned: boolean }): JSX.Element | null {
  const all = table.value?.columns ?? [];
  const columns = all.filter(({ kind }) => DRAWN.has(kind));
  const two = columns.length > 1;
  const many = all.some(({ kind }) => kind === "vector" || kind === "text");
  if (solution.value === undefined || !(two || many)) return null;
  const { view, axes = [columns[0]?.name, columns[1]?.name] as const } = settings.value;
  const now = view === "learned" && !learned ? "plain" : view;
  const views = (["learned", "plain", "layout", "columns"] as const).filter(
    (one) => (learned || one !== "learned") && (two || one !== "columns"),
  );
  return (
    <>
      <div class="together" role="group" aria-label="View">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={now === one}
            onClick={() => change({ view: one, ...(one === "columns" && { axes }) })}
          >
            {VIEW_WORDS[one]}
          </button>
        ))}
      </div>
      {now === "columns" &&
        ([0, 1] as const).map((end) => (
          <select
            key={end}
            class="axis"
            aria-label={end === 0 ? "Across" : "Up"}
            value={axes[end]}
            onChange={(event) => {
              const name = event.currentTarget.value;
              change({ axes: end === 0 ? [name, axes[1]] : [axes[0], name] });
            }}
          >
            {columns.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ))}
    </>
  );
}

/** The colours, if a column gives them; a colour shows only its rows. */
function Legend(): JSX.Element | null {
  const [colors, color] = [coloring.value, settings.value.color];
  if (colors === undefined || color === undefined) return null;
  return (
    <div
      class={colors.palette === "k" ? "color-legend" : "color-legend scale"}
      role="group"
      aria-label="Colours"
    >
      <strong>{color}</strong>
      {colors.legend.map(({ slot, text, part }) => {
        const pressed = part !== undefined && JSON.stringify(brushes.value[color]) === JSON.stringify(part);
        return (
          <button
            key={slot}
            type="button"
            class="plain"
            aria-pressed={pressed}
            aria-label={`Only ${text || `step ${slot + 1}`} of ${color}`}
            onClick={() => brush(color, pressed ? undefined : part)}
          >
            <span class="dot" style={{ background: `var(${colorName(colors.palette, slot)})` }} /> {text}
          </button>
        );
      })}
      <button type="button" class="plain" onClick={() => change({ color: undefined })}>
        Colour by cluster
      </button>
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
