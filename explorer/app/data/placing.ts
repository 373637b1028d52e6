import { begin } from "../asking.ts";
import { Withdrawn } from "../client.ts";
import { change } from "../history.ts";
import { announcement, caution, placed, table } from "../known.ts";
import { MODEL } from "../settings.ts";
import { clustered, differing } from "../shown/partition.ts";
import { openedFile } from "./data.ts";

/** Places the rows on the screen by a model file, and shows the result beside the clustering. */
export async function placeRows(model: File): Promise<void> {
  const rows = table.value;
  if (rows === undefined) {
    caution.value = `${model.name} is a model. Open a table first, then drop the model to place its rows.`;
    return;
  }
  const file = openedFile();
  const asked = { table: rows, model, ...(file !== undefined && { file }) };
  try {
    const found = await begin(`Placing the rows by ${model.name}`, "place", asked, () => {}).answer;
    if (table.value !== rows) return;
    caution.value = undefined;
    placed.value = { ...found, key: rows.key, name: model.name };
    change({ pinned: `${MODEL}${model.name}`, gamma: undefined });
    const moved = differing(found.labels, clustered.value?.labels ?? []).reduce((sum, one) => sum + one, 0);
    announcement.value = `${model.name} places ${moved} of ${rows.rows} rows in another cluster than on the screen.`;
  } catch (error) {
    if (!(error instanceof Withdrawn))
      caution.value = `${model.name} cannot place these rows. ${(error as Error).message}`;
  }
}
