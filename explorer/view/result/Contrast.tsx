import type { JSX } from "preact";
import { contrastPicture } from "kindred/report";
import { contrasts } from "../../app/rows/contrast.ts";
import { GREY } from "../../app/shown/colors.ts";
import type { Partition } from "../../app/shown/partition.ts";

/** The columns that tell a cluster from the rest, as the report draws them. */
export function Contrast({
  k,
  shown,
}: {
  readonly k: number;
  readonly shown: Partition;
}): JSX.Element | null {
  const found = contrasts.value;
  const columns = found?.of === shown ? found.columns[k] : undefined;
  if (columns === undefined || columns.length === 0) return null;
  const slot = shown.slots[k];
  const color = slot === GREY ? "var(--grey)" : `var(--c${slot & 15})`;
  // The drawing escapes what it takes from the table.
  return (
    <div class="contrasts" dangerouslySetInnerHTML={{ __html: contrastPicture(columns, color).markup }} />
  );
}
