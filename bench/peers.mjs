// Kindred beside the programs that people would use in its place: one command, one table.
//
//   npm run build && KINDRED_PYTHON=/path/to/python node bench/peers.mjs [words] [--growth] [--rounds 5] [--seconds 20]
//
// `words` keep the cases whose name has one of them ("svm", "k-means"). Cases are data, bench/peers/*.mjs: an array of
//
//   { name: (size) => text, size, sizes,    sizes are for --growth: three of them, and the exponent of time over size
//     data: (tools, size) => ({ X, y }),    written to a file that both sides read; `files` are paths of its own
//     ours: (kindred, data) => result,      what is timed; may be a promise
//     score: (kindred, result, data) => number,
//     least: (size) => seconds,             what the machine could reach at best, measured by our side beside each run
//     peers: { "scikit-learn": "..." } }    Python that defines run() and, if it likes, score(result); X, y, size are there
//
// Both sides have one process and one thread and take turns. Figures are CPU seconds (all threads of the process, so the
// compiler's and the collector's too), the least of the runs; `first` is our first run of the process. The ratio is
// the peer's time over ours: above 1 ours is faster. Without KINDRED_PYTHON, or without a package, a peer is left out.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { clouds, mean, settings, timed } from "./measure.mjs";

const HERE = fileURLToPath(new URL("peers/", import.meta.url));
const PYTHON = `
import json, sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
task = json.loads(sys.argv[1])
size = task["size"]
files = task["files"]
X = np.fromfile(task["X"]).reshape(task["shape"]) if "X" in task else None
y = np.fromfile(task["y"], dtype=np.int32) if "y" in task else None
score = None
def main():
    try:
        exec(sys.stdin.readline().encode().decode("unicode_escape"), globals())
    except ImportError as problem:
        print(json.dumps({"absent": str(problem)}), flush=True)
        return
    from importlib.metadata import packages_distributions, version
    known = packages_distributions()
    loaded = {p for name in list(sys.modules) if "." not in name for p in known.get(name, [])}
    print(json.dumps({"versions": {p: version(p) for p in loaded}}), flush=True)
    for _ in sys.stdin:
        before = time.process_time()
        result = run()
        cpu = time.process_time() - before
        print(json.dumps({"cpu": cpu, "score": None if score is None else float(score(result))}), flush=True)
        del result
main()
`;
/** Packages whose versions are worth a word. */
const NAMED =
  /^(?:numpy|scipy|scikit-learn|fastcluster|faiss-cpu|polars|pyarrow|hdbscan|hnswlib|pynndescent|umap-learn|metric-learn)$/;

const asked = settings({ rounds: 5, seconds: 20, growth: false, child: false });
const { rounds, seconds, growth, words } = asked;
if (asked.child) await child(words[0], Number(words[1]), words[2]);
else await parent();

async function parent() {
  const python = process.env.KINDRED_PYTHON;
  const versions = {};
  const [{ model }] = cpus();
  console.log(
    `${model}, ${cpus().length} cores; Node ${process.version}; one thread each, CPU seconds, least of runs`,
  );
  if (python === undefined) console.log("KINDRED_PYTHON is not set: only our times follow");
  console.log(
    growth
      ? "case; ours at three sizes, exponent; each peer's"
      : "case; ours (first run); each peer: seconds, peer / ours; [scores]",
  );
  for (const file of readdirSync(HERE).toSorted()) {
    const { default: cases } = await import(join(HERE, file));
    for (const [at, { name, size, sizes }] of cases.entries()) {
      if (words.length > 0 && !words.some((word) => name(size).toLowerCase().includes(word.toLowerCase())))
        continue;
      if (!growth) {
        const { ours, peers } = await measure({ file, at, size, python, versions });
        console.log(line(name(size), ours, peers));
      } else if (sizes !== undefined) {
        const runs = [];
        for (const n of sizes) runs.push(await measure({ file, at, size: n, python, versions }));
        console.log(growthLine(name, sizes, runs));
      }
    }
  }
  const named = Object.entries(versions).filter(([name]) => NAMED.test(name));
  const said = named.map((one) => one.join(" ")).toSorted();
  if (said.length > 0) console.log(said.join(", "));
}

function line(name, ours, peers) {
  if (ours.absent !== undefined) return `${name}; left out: ${ours.absent}`;
  const scores = [ours.score, ...peers.map((peer) => peer.score)].map(
    (score) => score?.toPrecision(6) ?? "-",
  );
  const theirs = peers.map(({ name: peer, absent, best }) =>
    absent === undefined
      ? `${peer} ${best.toFixed(3)}, ${(best / ours.best).toFixed(2)}`
      : `${peer} left out: ${absent}`,
  );
  const limit =
    ours.least === undefined
      ? []
      : [`at the peak ${ours.least.toFixed(3)}, ${(ours.least / ours.best).toFixed(2)} of it reached`];
  const shown = ours.score === undefined || ours.score === null ? "" : `; [${scores.join(" ")}]`;
  return `${[name, `${ours.best.toFixed(3)} (${ours.first.toFixed(3)})`, ...limit, ...theirs].join("; ")}${shown}`;
}

function growthLine(name, sizes, runs) {
  const text = (label, sides) => {
    const lost = sides.find(({ absent }) => absent !== undefined);
    if (lost !== undefined) return `${label} left out: ${lost.absent}`;
    const times = sides.map(({ best }) => best);
    return `${label} ${times.map((time) => time.toFixed(3)).join(" ")}, ${exponent(sizes, times).toFixed(2)}`;
  };
  const ours = runs.map((run) => run.ours);
  const peers = runs[0].peers.map((peer, p) =>
    text(
      peer.name,
      runs.map((run) => run.peers[p]),
    ),
  );
  return [name(sizes.join(" / ")), text("ours", ours), ...peers].join("; ");
}

/** The slope of log time over log size, by least squares. */
function exponent(sizes, times) {
  const [x, y] = [sizes.map(Math.log), times.map(Math.log)];
  const [mx, my] = [mean(x), mean(y)];
  return mean(x.map((value, p) => (value - mx) * (y[p] - my))) / mean(x.map((value) => (value - mx) ** 2));
}

/** Every side in a process of its own; they take turns. */
async function measure({ file, at, size, python, versions }) {
  const folder = mkdtempSync(join(tmpdir(), "kindred-peers-"));
  try {
    const { default: cases } = await import(join(HERE, file));
    const task = await write(cases[at], size, folder);
    const text = JSON.stringify(task);
    const ours = side("Kindred", process.execPath, [
      fileURLToPath(import.meta.url),
      "--child",
      file,
      String(at),
      text,
    ]);
    const sides = [ours];
    if (python !== undefined) {
      for (const [name, code] of Object.entries(cases[at].peers)) {
        sides.push(side(name, python, ["-c", PYTHON, text], JSON.stringify(code).slice(1, -1)));
      }
    }
    for (const each of sides) {
      const ready = await each.answer();
      each.absent = ready.absent;
      Object.assign(versions, ready.versions);
    }
    let spent = 0;
    const running = () => sides.filter(({ absent }) => absent === undefined);
    for (let round = 0; round < rounds && ours.absent === undefined; round++) {
      if (spent > seconds) break;
      for (const each of running()) {
        const { cpu, score, least, absent } = await each.ask();
        if (absent !== undefined) {
          each.absent = absent;
          continue;
        }
        each.first ??= cpu;
        each.best = Math.min(each.best ?? Infinity, cpu);
        if (least !== undefined) each.least = Math.min(each.least ?? Infinity, least);
        each.score = score;
        spent += cpu;
      }
    }
    for (const each of sides) each.end();
    return { ours, peers: sides.slice(1) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function side(name, command, args, firstLine) {
  const env = { ...process.env, KINDRED_THREADS: "1" };
  for (const threads of ["OMP", "OPENBLAS", "MKL", "NUMBA", "POLARS", "NUMEXPR"]) {
    env[`${threads}_${threads === "POLARS" ? "MAX" : "NUM"}_THREADS`] = "1";
  }
  const program = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  program.stderr.on("data", (text) => (errors += text));
  program.stdin.on("error", () => {});
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    return done ? { absent: errors.trim().split("\n").at(-1) || "it ended" } : JSON.parse(value);
  };
  if (firstLine !== undefined) program.stdin.write(`${firstLine}\n`);
  return {
    name,
    answer,
    ask: () => {
      program.stdin.write("run\n");
      return answer();
    },
    end: () => program.stdin.end(),
  };
}

async function write({ data }, size, folder) {
  const { matrix, random } = await import("./library.mjs");
  const {
    X,
    y,
    files = {},
  } = await data({ matrix, random, clouds: (...rows) => clouds(random, ...rows), folder }, size);
  const task = { size, files };
  if (X !== undefined) {
    task.shape = [X.rows, X.cols];
    writeFileSync((task.X = join(folder, "X.f64")), X.data);
  }
  if (y !== undefined) writeFileSync((task.y = join(folder, "y.i32")), y);
  return task;
}

async function child(file, at, text) {
  const { ours, score, least } = (await import(join(HERE, file))).default[at];
  const parts = ["./library.mjs", "../dist/run/index.js", "../dist/index.js"];
  const kindred = Object.assign({}, ...(await Promise.all(parts.map((part) => import(part)))));
  const task = JSON.parse(text);
  const numbers = (path, type) => new type(new Uint8Array(readFileSync(path)).buffer);
  const data = { size: task.size, files: task.files };
  if (task.X !== undefined) data.X = kindred.matrix(...task.shape, numbers(task.X, Float64Array));
  if (task.y !== undefined) data.y = numbers(task.y, Int32Array);
  console.log("{}");
  for await (const _ of createInterface({ input: process.stdin })) {
    try {
      const { result, cpu } = await timed(() => ours(kindred, data));
      const told = { cpu, score: await score?.(kindred, result, data), least: await least?.(task.size) };
      console.log(JSON.stringify(told));
    } catch (error) {
      console.log(JSON.stringify({ absent: error.message }));
      return process.exit(0);
    }
  }
}
