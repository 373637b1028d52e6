import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { GREY, slotsOf } from "../../app/shown/colors.ts";
import { compareAll, compared, comparing } from "../../app/solve/comparing.ts";
import { change, settings } from "../../app/history.ts";
import { clustered, differing, places } from "../../app/shown/partition.ts";
import { theme } from "../../app/theme.ts";
import { clustersText } from "../../app/solve/solving.ts";
import { fitted, toScreen } from "../../plot/camera.ts";
import { themeColors } from "../../plot/palette.ts";
import type { ComparedShown } from "../../protocol.ts";

const LISTED = 12;
const WIDTH = 132;
const HEIGHT = 84;
/** Points of a small picture. */
const DRAWN = 1500;

/** The few distinct partitions that all methods find, each drawn where it differs from the one on the screen. */
export function Strip(): JSX.Element {
  const found = compared.value;
  if (found === undefined) {
    return (
      <section aria-labelledby="strip-title">
        <h3 id="strip-title">What other methods find</h3>
        <p class="remark">Runs every method that needs only the rows, and keeps the distinct results.</p>
        <button
          type="button"
          aria-disabled={comparing.value}
          onClick={() => void (comparing.value || compareAll())}
        >
          {comparing.value ? "Comparing …" : "Compare all methods"}
        </button>
      </section>
    );
  }
  const { partitions, failed, words } = found;
  return (
    <section aria-labelledby="strip-title">
      <h3 id="strip-title">
        {partitions.length === 1 ? "All methods agree" : `${partitions.length} distinct partitions`}
      </h3>
      <p class="remark">{words}</p>
      <ul class="partitions">
        {partitions.slice(0, LISTED).map((one, at) => (
          <One key={one.titles[0]} one={one} first={at === 0} />
        ))}
      </ul>
      {partitions.length > LISTED && <p class="remark">and {partitions.length - LISTED} more</p>}
      {failed.length > 0 && (
        <details>
          <summary>{failed.length} methods are not among them</summary>
          <ul class="notes">
            {failed.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function One({ one, first }: { readonly one: ComparedShown; readonly first: boolean }): JSX.Element {
  const { choice, titles, sizes, agreement, differs } = one;
  const named = titles.slice(0, 2).join(", ") + (titles.length > 2 ? ` and ${titles.length - 2} more` : "");
  const whole = { seed: settings.value.seed, ...choice };
  return (
    <li>
      <Picture one={one} />
      <div>
        <strong>{clustersText(sizes.length)}</strong>{" "}
        {first && <span class="chip plain-chip">recommended</span>}
        <br />
        {named}
        <br />
        <small title={differs}>
          {first ? "the automatic choice" : `agrees ${agreement.toFixed(2)}; ${differs ?? ""}`}
        </small>
        <div class="row">
          <button type="button" class="plain" onClick={() => change({ ...whole, gamma: undefined })}>
            Show <span class="unseen">{named}</span>
          </button>
          <button
            type="button"
            class="plain"
            onClick={() =>
              change({ pinned: { ...whole, same: [], different: [], statements: [] }, gamma: undefined })
            }
          >
            Pin <span class="unseen">{named}</span>
          </button>
        </div>
      </div>
    </li>
  );
}

/** Rows with a different cluster than on the screen have their colour; the others are faint. */
function Picture({ one }: { readonly one: ComparedShown }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useSignalEffect(() => {
    void theme.value;
    const [xy, now, element] = [places.value?.xy, clustered.value, canvas.current];
    const context = element?.getContext("2d");
    if (xy === undefined || now === undefined || element === null || context == null) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    element.width = WIDTH * ratio;
    element.height = HEIGHT * ratio;
    context.scale(ratio, ratio);
    const size = { width: WIDTH, height: HEIGHT };
    const camera = fitted(xy, size);
    const slots = slotsOf(one.labels, one.sizes.length, now);
    const elsewhere = differing(one.labels, now.labels);
    const colors = themeColors(element);
    const rows = one.labels.length;
    const step = Math.max(1, Math.ceil(rows / DRAWN));
    for (const strong of [0, 1]) {
      for (let i = 0; i < rows; i += step) {
        if (elsewhere[i] !== strong) continue;
        const [x, y] = toScreen(camera, size, [xy[2 * i], xy[2 * i + 1]]);
        const slot = one.labels[i] < 0 ? GREY : slots[one.labels[i]];
        const [r, g, b] = colors
          .subarray(3 * (slot & 15), 3 * (slot & 15) + 3)
          .map((part) => Math.round(255 * part));
        context.globalAlpha = strong === 1 ? 1 : 0.25;
        context.fillStyle = `rgb(${r} ${g} ${b})`;
        context.fillRect(x - 1.5, y - 1.5, 3, 3);
      }
    }
  });
  return <canvas ref={canvas} class="partition" width={WIDTH} height={HEIGHT} aria-hidden="true" />;
}
