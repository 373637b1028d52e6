// Tries random cases against library, files, models, their SQL, the explorer's server, options of the commands and signals (test/fuzz) for some minutes:
//
//     npm run fuzz -- --minutes 60 --seed 1
//
// A case must end within 10 s of computing, below 2 GB, with an answer or with an error in words. Every failure is printed with the
// command that repeats it: npm run fuzz -- --case library:123.
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";

const SECONDS = 10;
const MEMORY = 2 * 2 ** 30;
/** Factor between the wall-clock limit and the CPU limit, where CPU time is known. */
const PATIENCE = 6;
/** Number of failures of a kind after which the rest is skipped. */
const ENOUGH = 400;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    kind: { type: "string", multiple: true },
    cases: { type: "string" },
    case: { type: "string" },
  },
});
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, ".fuzz");
const SHARES = {
  library: 0.25,
  calls: 0.1,
  order: 0.1,
  files: 0.2,
  models: 0.1,
  requests: 0.05,
  sql: 0.05,
  commands: 0.1,
  signals: 0.1,
};
/** They run the command as it was built, in a process of its own. */
const BUILT = ["commands", "signals"];

const bundle = await rolldown({
  input: join(root, "test", "fuzz", "worker.ts"),
  platform: "node",
  external: [/^[^./]/],
  logLevel: "silent",
});
await bundle.write({ dir: built, format: "esm", entryFileNames: "worker.mjs" });

if (values.case !== undefined) {
  const [kind, seed] = values.case.split(":");
  const found = await tryCases(kind, Number(seed), 1, Infinity, true);
  process.exitCode = found.failures > 0 ? 1 : 0;
} else {
  const kinds = values.kind ?? Object.keys(SHARES);
  const total = kinds.reduce((sum, kind) => sum + SHARES[kind], 0);
  let failures = 0;
  for (const kind of kinds) {
    if (BUILT.includes(kind) && !existsSync(join(root, "dist", "cli", "main.js"))) {
      console.log(`${kind}: skipped, because nothing is built (npm run build)`);
      continue;
    }
    const most = values.cases === undefined ? Infinity : Number(values.cases);
    const minutes = most < Infinity ? Infinity : (Number(values.minutes) * SHARES[kind]) / total;
    const first = Number(values.seed) * 1_000_000;
    const found = await tryCases(kind, first, most, minutes * 60_000, false);
    failures += found.failures;
    console.log(`${kind}: ${found.tried} cases from seed ${first}, ${found.refused} of them failed`);
  }
  process.exitCode = failures > 0 ? 1 : 0;
}

async function tryCases(kind, first, most, milliseconds, talkative) {
  const end = Date.now() + milliseconds;
  let worker;
  let tried = 0;
  let failures = 0;
  while (tried < most && Date.now() < end && failures < ENOUGH) {
    const seed = first + tried++;
    worker ??= await started();
    const outcome = await watched(worker, kind, seed);
    if (outcome.dead) worker = undefined;
    if (talkative) console.log(outcome.tried ?? "");
    if (outcome.wrong === undefined) continue;
    failures++;
    console.log(`\nnpm run fuzz -- --case ${kind}:${seed}\n  ${outcome.tried ?? "?"}\n  ${outcome.wrong}`);
  }
  worker?.disconnect();
  return { tried, failures, refused: failures };
}

function started() {
  return new Promise((resolve) => {
    const worker = fork(join(built, "worker.mjs"), [], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    worker.said = "";
    worker.stderr.setEncoding("utf8").on("data", (text) => (worker.said = (worker.said + text).slice(-2000)));
    worker.once("message", () => resolve(worker));
  });
}

function watched(worker, kind, seed) {
  const limit = (BUILT.includes(kind) ? 6 : 1) * SECONDS * 1000;
  return new Promise((resolve) => {
    const done = (outcome) => {
      clearTimeout(timer);
      clearInterval(memory);
      worker.off("message", answered).off("exit", ended);
      if (outcome.dead) worker.kill("SIGKILL");
      resolve(outcome);
    };
    let tried;
    const answered = (outcome) => {
      if (outcome.announced === undefined) done(outcome);
      else tried = outcome.announced;
    };
    const ended = (code) =>
      done({ dead: true, tried, wrong: `ended the process with ${code}: ${worker.said}` });
    // A busy machine makes everything take longer by the clock.
    const computed = computedSeconds(worker.pid);
    const late = () => done({ dead: true, tried, wrong: `took more than ${limit / 1000} s` });
    const timer = setTimeout(late, (computed === undefined ? 1 : PATIENCE) * limit);
    const memory = setInterval(() => {
      if (!BUILT.includes(kind) && 1000 * (computedSeconds(worker.pid) - computed) > limit) return late();
      if (residentBytes(worker.pid) > MEMORY) done({ dead: true, tried, wrong: "took more than 2 GB" });
    }, 200);
    worker.on("message", answered).once("exit", ended);
    worker.send({ kind, seed });
  });
}

/** CPU time of the process, all threads together; undefined on systems that do not report it. */
function computedSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** On systems that report it; elsewhere memory is not checked. */
function residentBytes(pid) {
  try {
    return 4096 * Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  } catch {
    return 0;
  }
}
