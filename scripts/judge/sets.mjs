// The labelled sets on which the judge is fitted: { name, source, read() -> { table or rows, options, truths } }.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { shared } from "../../bench/shared.mjs";
import { families, nullSet, records, source } from "./families.mjs";

/** Sets that are the same table under other names: they take part in a fit together, or not at all. */
const ONE_TABLE = {
  penguins_raw: "penguins",
  "breast-cancer-wisconsin": "breast_cancer",
  diabetes: "pima",
  cars: "cars_vega",
  "uci/statlog": "segment",
  "other/iris": "iris",
  "two-moons-test": "two-moons",
};

/** Seeds below 100, and numbers of sets without groups below 2000: others can be reported (FRESH). */
const USED = { seeds: [1, 2], nulls: 0 };
export const FRESH = { seeds: [100, 101, 102], nulls: 2000 };

export function* labelledSets(tools, { seeds } = USED) {
  yield* realTables(tools);
  yield* battery(tools);
  yield* datasets(tools);
  yield* sharedTables(tools);
  yield* answerSets(tools);
  yield* recordSets(seeds);
  for (const [family, make] of Object.entries(families)) {
    for (const seed of seeds) {
      yield {
        name: `${family} ${seed}`,
        group: family,
        source: "generated",
        async read() {
          const { X, y, K } = make(seed);
          return { rows: tools.fromRows(X), options: {}, truths: [{ labels: y, K }] };
        },
      };
    }
  }
}

/** Answers of a few levels by kinds of people: rows are often equal, though there are groups. */
function* answerSets({ fromRows }) {
  for (let number = 0; number < ANSWERS; number++) {
    const r = source(number + 600_000);
    const [d, K, levels] = [r.integer(4, 9), r.integer(2, 3), r.integer(2, 5)];
    const usual = Array.from({ length: K }, (_, k) =>
      Array.from({ length: d }, (_, f) => (k === 0 ? r.integer(0, levels - 1) : (f + k) % levels)),
    );
    const labels = Array.from({ length: r.integer(250, 600) }, () => r.integer(0, K - 1));
    const rows = labels.map((k) =>
      usual[k].map((level) => (r.uniform() < 0.85 ? level : r.integer(0, levels - 1))),
    );
    yield {
      name: `answers ${number}`,
      group: `answers ${number}`,
      source: "generated",
      read: async () => ({ rows: fromRows(rows), options: {}, truths: [{ labels, K }] }),
    };
  }
}

const ANSWERS = 6;

/** Tables of numbers and levels, as people have them. */
function* recordSets(seeds) {
  for (let number = 0; number < RECORDS; number++) {
    const { X, y, K } = records(1000 * seeds[0] + number);
    yield {
      name: `records ${number}`,
      group: `records ${number}`,
      source: "records",
      read: async () => ({ rows: X, options: {}, truths: [{ labels: y, K }] }),
    };
  }
}

const RECORDS = 16;

/** A few generated sets, for a fit that takes seconds. */
export function smallSets(tools) {
  return [...labelledSets({ ...tools, listed: [] })].filter(
    ({ source: from, name }) => from === "generated" && SMALL.includes(name),
  );
}

const SMALL = ["shapes 1", "unequal 1", "rings 1", "elongated 1", "noiseColumns 1", "boxes 1"];

/** Sets without groups, and among them whole numbers. */
export function* setsWithoutGroups({ fromRows }, { nulls } = USED) {
  for (let number = nulls; number < nulls + NULLS; number++) {
    const { name, d, X } = nullSet(number);
    yield {
      name: `${name} ${d} ${number}`,
      group: `none ${number}`,
      source: "none",
      read: async () => ({ rows: fromRows(X), options: {}, truths: [] }),
    };
    if (number % 7 === 1) {
      const rows = amounts(number);
      yield {
        name: `amounts ${number}`,
        group: `amounts ${number}`,
        source: "none",
        read: async () => ({ rows, options: {}, truths: [] }),
      };
    }
    if (number % 5 === 2) {
      const { X: rows } = records(number, 1);
      yield {
        name: `records ${number}`,
        group: `none records ${number}`,
        source: "none",
        read: async () => ({ rows, options: {}, truths: [] }),
      };
    }
    if (number % 5 !== 0) continue;
    const whole = wholeNumbers(number);
    yield {
      name: `whole ${number}`,
      group: `whole ${number}`,
      source: "none",
      read: async () => ({ rows: fromRows(whole), options: {}, truths: [] }),
    };
  }
}

const NULLS = 70;

/** A table of amounts that are often 0, an age and a plan, which most may share, all independent. */
function amounts(seed) {
  const r = source(seed + 800_000);
  const kinds = r.integer(2, 5);
  const usual = r.between(0, 0.9);
  return Array.from({ length: r.integer(250, 600) }, () => ({
    ...Object.fromEntries(
      Array.from({ length: kinds }, (_, f) => [
        `amount${f}`,
        r.uniform() < 0.4 ? 0 : Math.exp(2 + 0.3 * f + 0.5 * r.normal()),
      ]),
    ),
    age: 40 + 9 * r.normal(),
    plan: ["free", "basic", "pro"][r.uniform() < usual ? 0 : r.integer(0, 2)],
  }));
}

/** Ratings, ages or counts that share a common factor. */
function wholeNumbers(seed) {
  const r = source(seed + 700_000);
  const d = r.integer(2, 10);
  const common = r.between(0, 0.9);
  const levels = [2, 5, 7, 10, 60][r.integer(0, 4)];
  return Array.from({ length: r.integer(250, 600) }, () => {
    const z = r.normal();
    return Array.from({ length: d }, () => {
      const value = (common * z + Math.sqrt(1 - common ** 2) * r.normal() + 2.5) / 5;
      return Math.max(0, Math.min(levels - 1, Math.floor(value * levels)));
    });
  });
}

function* realTables({ readColumns: readTable }) {
  const index = shared("real", "index.json");
  if (!existsSync(index)) return;
  for (const entry of JSON.parse(readFileSync(index, "utf8"))) {
    if (!entry.class) continue;
    yield {
      name: entry.name,
      group: ONE_TABLE[entry.name] ?? entry.name,
      source: "real",
      async read() {
        const table = await readTable(shared("real", entry.file));
        const column = table.columns.find(({ name }) => name === entry.class);
        const cells = entry.file.endsWith(".csv") ? rawCells(entry) : cellsOf(column, table.rows);
        if (cells.length !== table.rows)
          throw new Error(`${entry.name}: ${cells.length} classes of ${table.rows} rows`);
        return { rows: table, options: { label: entry.class }, truths: [truthOf(cells)] };
      },
    };
  }
}

/** The class column as it is written: the reader of tables takes levels that differ by case for one. */
function rawCells({ file, class: name }) {
  const text = readFileSync(shared("real", file), "utf8").replaceAll("\r\n", "\n").trim();
  const lines = text.split("\n");
  const mark = lines[0].split(";").length > lines[0].split(",").length ? ";" : ",";
  const split = (line) =>
    [...line.matchAll(new RegExp(`("(?:[^"]|"")*"|[^${mark}]*)(?:${mark}|$)`, "g"))].map(([, cell]) =>
      cell.replace(/^"(.*)"$/, "$1"),
    );
  const at = split(lines[0]).indexOf(name);
  return lines.slice(1).map((line) => split(line)[at]);
}

function cellsOf({ codes, values }, n) {
  if (codes !== undefined) return Array.from({ length: n }, (_, i) => codes[i]);
  return Array.from({ length: n }, (_, i) => (Number.isNaN(values[i]) ? -1 : values[i]));
}

function truthOf(cells) {
  const known = new Map();
  const labels = cells.map((cell) => {
    if (cell === -1) return -1;
    if (!known.has(cell)) known.set(cell, known.size);
    return known.get(cell);
  });
  return { labels, K: known.size };
}

function* battery({ fromRows }) {
  const index = shared("battery", "index.json");
  if (!existsSync(index)) return;
  for (const entry of JSON.parse(readFileSync(index, "utf8"))) {
    yield {
      name: entry.set,
      group: ONE_TABLE[entry.set] ?? entry.set,
      source: "battery",
      async read() {
        const text = gunzipSync(readFileSync(shared("battery", entry.file))).toString();
        const [head, ...lines] = text.trim().split("\n");
        const names = head.split(",").map((name) => name.replaceAll('"', ""));
        const cells = lines.map((line) => line.split(",").map(Number));
        const features = names.flatMap((name, f) => (name.startsWith("reference") ? [] : [f]));
        const truths = names.flatMap((name, f) =>
          name.startsWith("reference")
            ? [{ labels: cells.map((row) => row[f] - 1), K: Math.max(...cells.map((row) => row[f])) }]
            : [],
        );
        return { rows: fromRows(cells.map((row) => features.map((f) => row[f]))), options: {}, truths };
      },
    };
  }
}

/** Tables with the messes of real ones, whose groups are known because they were generated. */
function* sharedTables({ readColumns }) {
  const index = shared("tables", "index.json");
  if (!existsSync(index)) return;
  for (const { name, file } of JSON.parse(readFileSync(index, "utf8"))) {
    yield {
      name,
      group: name,
      source: "datasets",
      async read() {
        const table = await readColumns(shared("tables", file));
        const [, ...lines] = readFileSync(shared("tables", "truth", `${name}.csv`), "utf8")
          .trim()
          .split("\n");
        const truth = new Map(lines.map((line) => line.trim().split(",")));
        const cells = Array.from({ length: table.rows }, (_, i) => truth.get(String(i)) ?? -1);
        return { rows: table, options: {}, truths: [truthOf(cells)] };
      },
    };
  }
}

const MOST_ROWS = 3000;
/** Sets that are there in another form, too. */
const VARIANTS = new Set([
  "arrhythmia-420",
  "breast-cancer-wisconsin-699",
  "breast-cancer-wisconsin-id",
  "coil20-uint8",
  "dermatology-358",
  "iris-uci",
  "20news-w100",
]);

function* datasets({ namedData, listed }) {
  for (const { name, rows, classes, from } of listed ?? []) {
    if (from === "generated" || rows > MOST_ROWS || classes < 2 || VARIANTS.has(name)) continue;
    yield {
      name,
      group: ONE_TABLE[name] ?? name,
      source: "datasets",
      async read() {
        const folder = shared("datasets");
        const table = await namedData(name, { folder }).catch(() =>
          namedData(name, { folder, missing: "mean" }),
        );
        return {
          rows: table,
          options: { label: table.label.name },
          truths: [truthOf(Array.from(table.label.values))],
        };
      },
    };
  }
}
