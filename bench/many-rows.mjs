// Every clustering of the registry on very many rows: by all rows, by a sample that places the others, or refused. A
// process for each, after `npm run build`: CPU time of the fit and of everything after it, peak memory, and how well the
// groups that the rows were made from are found (adjusted Rand).
//   node bench/many-rows.mjs [--rows 1000000] [--columns 4] [--methods ward,gmm] [--seconds 600]
// --seconds are CPU seconds of a method at most.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cpuSeconds, peakMegabytes, settings } from "./measure.mjs";

const asked = settings({ rows: 1_000_000, columns: 4, methods: undefined, seconds: 600, one: undefined });
const { rows, columns, seconds } = asked;
const GROUPS = 5;
/** Methods that need to be told where to stop, if not by the number of clusters. */
const NUMBERED = new Set(["ward", "average", "complete", "single", "ncut", "fme"]);
const { cluster, methods, random, adjustedRand } = {
  ...(await import("../dist/index.js")),
  ...(await import("../dist/run/index.js")),
  ...(await import("../dist/score/index.js")),
};

if (asked.one === undefined) every();
else await one(methods.find(({ name }) => name === asked.one));

function every() {
  console.log(`${rows} rows x ${columns}, ${GROUPS} groups of unequal size`);
  for (const name of asked.methods?.split(",") ?? methods.map((method) => method.name)) {
    const args = ["--one", name, `--rows=${rows}`, `--columns=${columns}`];
    const node = [process.execPath, "--max-old-space-size=8000", fileURLToPath(import.meta.url), ...args];
    const run = spawnSync("sh", ["-c", `ulimit -t ${seconds}; exec "$@"`, "sh", ...node], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said =
      run.stdout.trim() ||
      run.stderr
        .trim()
        .split("\n")
        .find((line) => /Error/.test(line)) ||
      `stopped after ${seconds} CPU s (${run.signal})`;
    console.log(`${name.padEnd(15)} ${said}`);
  }
}

async function one({ name, needs }) {
  const { columns: cols, groups } = table();
  const pairs = (same) => {
    const found = [];
    const { integer } = random(2);
    while (found.length < 50) {
      const [i, j] = [integer(rows), integer(rows)];
      if (i !== j && (groups[i] === groups[j]) === same) found.push([i, j]);
    }
    return found;
  };
  const options = {
    method: name,
    ...((needs.clusters === "required" || NUMBERED.has(name)) && { clusters: GROUPS }),
    ...((needs.pairs === "required" || name === "hints") && {
      mustLink: pairs(true),
      cannotLink: pairs(false),
    }),
    ...(needs.labels === "required" && {
      labels: Array.from(groups, (group, i) => (i < 100 ? `group ${group}` : "")),
    }),
  };
  const before = process.cpuUsage();
  let first;
  options.onProgress = ({ label }) => {
    if (label === "labels") first ??= cpuSeconds(before);
  };
  const begun = performance.now();
  try {
    const found = await cluster(cols, options);
    const all = cpuSeconds(before);
    const sample = found.notes.find(({ code }) => code === "sample")?.message.match(/sample of (\d+)/)?.[1];
    const ari = adjustedRand(found.labels, groups, { unknown: "class" }).toFixed(3);
    const how = sample === undefined ? "all rows" : `sample of ${sample}`;
    const fit = first === undefined ? "" : ` (${first.toFixed(1)} until rows were placed)`;
    const memory = peakMegabytes().toFixed(0);
    console.log(
      `${how}, ${all.toFixed(1)} CPU s${fit}, ${memory} MB, ${found.clusters} clusters, adjusted Rand ${ari}`,
    );
  } catch (error) {
    console.log(`refused after ${((performance.now() - begun) / 1000).toFixed(2)} s: ${error.message}`);
  }
}

/** Groups of unequal size and spread in the plane of the first columns, wider in the others. */
function table() {
  const { normal, uniform } = random(1);
  const centers = Array.from({ length: GROUPS * columns }, () => 12 * uniform());
  const groups = new Int32Array(rows);
  const X = { rows, cols: columns, data: new Float64Array(rows * columns) };
  for (let i = 0; i < rows; i++) {
    const group = Math.min(GROUPS - 1, Math.floor(GROUPS * uniform() ** 1.5));
    groups[i] = group;
    for (let f = 0; f < columns; f++) {
      X.data[i * columns + f] = centers[group * columns + f] + (1 + group / GROUPS) * normal();
    }
  }
  return { columns: X, groups };
}
