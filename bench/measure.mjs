// What every benchmark needs: settings from the command line, seconds of CPU and of the clock, a folder, rows.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** Options by their defaults: those of numbers are numbers. `words` are the other arguments. */
export function settings(...parts) {
  const defaults = Object.assign({}, ...parts);
  const option = (value) => ({
    type: typeof value === "boolean" ? "boolean" : "string",
    default: typeof value === "number" ? String(value) : value,
  });
  const options = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, option(value)]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  for (const [name, value] of Object.entries(defaults))
    if (typeof value === "number") values[name] = Number(values[name]);
  return { ...values, words: positionals };
}

/** CPU seconds of this process, of all its threads, since `process.cpuUsage()` gave `before`. */
export function cpuSeconds(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The result of the work, and its seconds; a promise of them if the work is one. */
export function timed(work) {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  const told = (result) => ({ result, cpu: cpuSeconds(before), wall: (performance.now() - begun) / 1000 });
  const result = work();
  return result instanceof Promise ? result.then(told) : told(result);
}

/**
 * The least seconds of each task. They take turns, so that what else the machine does meets all of them. A task that
 * returns undefined does not count.
 */
export async function inTurns(rounds, tasks) {
  const least = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(tasks)) {
      const { result, cpu, wall } = await timed(() => work(round));
      if (result === undefined) continue;
      const before = least[name] ?? { cpu: Infinity, wall: Infinity };
      least[name] = { result, cpu: Math.min(before.cpu, cpu), wall: Math.min(before.wall, wall) };
    }
  }
  return least;
}

/** A score of the rows whose class is known, which is not -1. */
export function onKnown(score, labels, classes) {
  const known = Array.from(classes.keys()).filter((i) => classes[i] !== -1);
  return score(
    known.map((i) => labels[i]),
    known.map((i) => classes[i]),
  );
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The largest memory of this process so far. */
export function peakMegabytes() {
  return process.resourceUsage().maxRSS / 1024;
}

/** A folder that is removed when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "kindred-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Gaussian clusters of unit variance whose centres have the standard deviation `spread` in each direction. */
export function clouds(random, n, d, { clusters = 8, spread = 2, seed = 1 } = {}) {
  const { normal } = random(seed);
  const centers = Float64Array.from({ length: clusters * d }, () => spread * normal());
  const y = Int32Array.from({ length: n }, (_, i) => i % clusters);
  const data = Float64Array.from(
    { length: n * d },
    (_, p) => centers[y[Math.floor(p / d)] * d + (p % d)] + normal(),
  );
  return { X: { rows: n, cols: d, data }, y };
}
