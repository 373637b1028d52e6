import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { command, kindred } from "./command.ts";

/*
 * A disk of 256 kB that is full, or nearly: every command that writes says so in one line, leaves older files as they were and
 * nothing half-written. Needs the right to mount one (root on Linux); elsewhere only /dev/full is tried.
 */
const folder = mkdtempSync(join(tmpdir(), "kindred-disk-"));
const disk = join(folder, "disk");
mkdirSync(disk);
const mounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "kindred-test", disk]).status === 0;
if (!mounted) console.warn("a small disk cannot be mounted here; commands on a full disk are not tried");

const ROWS = 3000;
const cell = (i: number, j: number): string =>
  ((i % 3) * 5 + ((i * (7 + 4 * j)) % 101) / 101 + j / 7).toFixed(6);

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => `${cell(i, 0)},${cell(i, 1)},${cell(i, 2)},k${i % 3}`);
  writeFileSync(join(folder, "data.csv"), `x,y,z,kind\n${rows.join("\n")}\n`);
  writeFileSync(join(folder, "few.csv"), `x,y,z,kind\n${rows.slice(0, 60).join("\n")}\n`);
  const made = await kindred(["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--model", "model.json"], {
    cwd: folder,
  });
  if (made.code !== 0) throw new Error(made.stderr);
});

afterAll(() => {
  if (mounted) spawnSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true });
});

const COMMANDS: readonly (readonly [...string[]])[] = [
  ["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--out", "disk/old"],
  ["cluster", "data.csv", "-m", "single", "-k", "3", "--model", "disk/old"],
  ["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--report", "disk/old"],
  ["embed", "data.csv", "-m", "pca", "--ignore", "kind", "--out", "disk/old"],
  ["embed", "few.csv", "-m", "kernel-pca", "--ignore", "kind", "--model", "disk/old"],
  ["compare", "few.csv", "-k", "3", "--methods", "kmeans,ward", "--out", "disk/old"],
  ["compare", "few.csv", "-k", "3", "--methods", "kmeans,ward", "--report", "disk/old"],
  ["path", "few.csv", "--ignore", "kind", "--out", "disk/old"],
  ["metric", "few.csv", "--label", "kind", "-m", "lda", "--model", "disk/old"],
  ["select", "few.csv", "--label", "kind", "--out", "disk/old"],
  ["classify", "few.csv", "--label", "kind", "--model", "disk/old"],
  ["classify", "few.csv", "--label", "kind", "--test", "data.csv", "--out", "disk/old"],
  ["segment", "few.csv", "--ignore", "kind", "-k", "3", "--out", "disk/old"],
  ["apply", "model.json", "data.csv", "--out", "disk/old"],
  ["data", "iris", "--out", "disk/old"],
  ["ask", "few.csv", "--known", "kind", "--budget", "5", "--hints", "disk/old"],
];

describe.skipIf(!mounted).each([0, 8])("a disk with %d kB left", (left) => {
  const old = "row,hint\n";

  beforeEach(() => {
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    writeFileSync(join(disk, "old"), old);
    writeFileSync(join(disk, "spare"), "x".repeat(1024 * left));
    fill(join(disk, "filler"));
    rmSync(join(disk, "spare"));
  });

  test.each(COMMANDS.map((args) => [args.join(" "), args] as const))("%s", async (_, args) => {
    const { code, stderr } = await kindred(args, { cwd: folder });
    const found = readFileSync(join(disk, "old"), "utf8");
    // A small output may fit into what is left; then it is whole. Answers are added to a file and may fit into its block.
    const written = code === 0 && (left > 0 || args[0] === "ask");
    expect(written || code === 1 || code === 2, `${code}: ${stderr}`).toBe(true);
    expect(written ? found.length > old.length : found === old, `${code}: ${stderr}`).toBe(true);
    expect(args[0] !== "ask" || found.startsWith(old)).toBe(true);
    expect(/the disk is full/.test(stderr)).toBe(!written);
    expect(stderr).not.toMatch(/\n\s+at |node:|undefined/);
    expect(readdirSync(disk).toSorted()).toEqual(["filler", "old"]);
  });

  test("a comparison that keeps its cells", async () => {
    const args = ["compare", "few.csv", "-k", "3", "--methods", "kmeans,ward", "--resume", "disk/cells"];
    const { code, stderr } = await kindred(args, { cwd: folder });
    expect(stderr).not.toMatch(/\n\s+at |node:|undefined/);
    expect(code === 0 || /the disk is full/.test(stderr)).toBe(true);
    rmSync(join(disk, "filler"));
    const again = await kindred(args, { cwd: folder });
    expect(again).toMatchObject({ code: 0 });
  });
});

test.skipIf(process.platform !== "linux")("standard output that takes nothing", () => {
  const run = (args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync("sh", ["-c", `"$@" > /dev/full`, "sh", ...command, ...args], { cwd: folder, encoding: "utf8" });
  for (const args of [
    ["cluster", "few.csv", "-m", "kmeans", "-k", "3"],
    ["cluster", "few.csv", "-m", "kmeans", "-k", "3", "--json"],
    ["data", "iris"],
    ["apply", "model.json", "data.csv"],
    ["columns", "few.csv"],
  ]) {
    const { status, stderr } = run(args);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/^kindred: [^\n]*standard output cannot be written \(the disk is full[^\n]*\n$/);
  }
});

/** Writes until nothing more fits. */
function fill(path: string): void {
  let size = 256 * 1024;
  let content = "";
  while (size >= 1) {
    try {
      writeFileSync(path, content + "x".repeat(size));
      content += "x".repeat(size);
    } catch {
      writeFileSync(path, content);
      size = Math.floor(size / 2);
    }
  }
  expect(statSync(path).size).toBeGreaterThan(0);
}
