// For the tests of models.py: clusters the first rows of a table by each method, and prints for each the model, and where
// Kindred places these rows; and the columns with their types. Run in the folder of the package: node models.mjs FILE ROWS METHOD ...
import { cluster, readTable } from "kindred";
import { cellText, takeTableRows } from "kindred/data";

const [file, rows, ...methods] = process.argv.slice(1);
const whole = await readTable(file);
const table = takeTableRows(
  whole,
  Int32Array.from({ length: Math.min(whole.rows, Number(rows)) }, (_, i) => i),
);
const columns = Object.fromEntries(table.columns.map((column) => [column.name, valuesOf(column)]));
/** A few rows of which something is known, for methods that need it. */
const first = (await cluster(table, { method: "kmeans", clusters: 3 })).labels;
const labels = Array.from(first, (label, i) => (i < 20 ? String(label) : ""));
const pairs = Array.from({ length: 10 }, (_, i) => [2 * i, 2 * i + 1]);
const known = {
  mustLink: pairs.filter(([a, b]) => first[a] === first[b]),
  cannotLink: pairs.filter(([a, b]) => first[a] !== first[b]),
};
const fits = [];
for (const name of methods) {
  const [method, side] = name.split("+");
  const told = side === "pairs" ? known : side === "labels" ? { labels } : {};
  try {
    const found = await cluster(table, { method, clusters: 3, seed: 1, ...told });
    const { labels, distances, next, nextDistances } = found.assign(table);
    const placed = { labels, distances, next, next_distances: nextDistances };
    fits.push({
      name,
      model: found,
      placed: Object.fromEntries(Object.entries(placed).map(([k, v]) => [k, Array.from(v)])),
    });
  } catch (error) {
    fits.push({ name, error: error.message });
  }
}
process.stdout.write(JSON.stringify({ columns, fits }));

function valuesOf(column) {
  const { kind, values, vectors } = column;
  const rows = Array.from({ length: table.rows }, (_, i) => i);
  if (vectors !== undefined) {
    const { cols, data } = vectors;
    return rows.map((i) =>
      Number.isNaN(data[i * cols]) ? null : Array.from(data.subarray(i * cols, (i + 1) * cols)),
    );
  }
  if ((kind === "number" || kind === "date") && values !== undefined)
    return rows.map((i) => (Number.isNaN(values[i]) ? null : values[i]));
  return rows.map((i) => cellText(column, i) || null);
}
