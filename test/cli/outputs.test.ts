import { spawn } from "node:child_process";
import { linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { command, kindred, listing, oneLine, scratch } from "./command.ts";

const rows = "x,y\n0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n";

function folderOfData(): string {
  const folder = scratch();
  writeFileSync(join(folder, "data.csv"), rows);
  symlinkSync("data.csv", join(folder, "link.csv"));
  linkSync(join(folder, "data.csv"), join(folder, "hard.csv"));
  return folder;
}

test.each(["data.csv", "./data.csv", "link.csv", "hard.csv"])(
  "--out %s is the data: refused",
  async (out) => {
    const cwd = folderOfData();
    const args = ["cluster", "data.csv", "-m", "kmeans", "-k", "2", "--out", out];
    expect(await kindred(args, { cwd })).toEqual(oneLine(2, /is the data that are read/));
    expect(readFileSync(join(cwd, "data.csv"), "utf8")).toBe(rows);
  },
);

test("the data are found behind a pattern, a link and standard input, too", async () => {
  const cwd = folderOfData();
  const read = oneLine(2, /is the data that are read/);
  const rest = ["-m", "kmeans", "-k", "2", "--out", "data.csv"];
  expect(await kindred(["cluster", "d*.csv", ...rest], { cwd })).toEqual(read);
  expect(await kindred(["cluster", "link.csv", ...rest], { cwd })).toEqual(read);
  const code = await new Promise((resolve) => {
    spawn("sh", ["-c", `"$@" < data.csv`, "sh", ...command, "cluster", "-", ...rest], { cwd }).on(
      "close",
      resolve,
    );
  });
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, "data.csv"), "utf8")).toBe(rows);
});

test("an output that another option reads is refused", async () => {
  const cwd = folderOfData();
  await kindred(["cluster", "data.csv", "-m", "kmeans", "-k", "2", "--model", "model.json"], { cwd });
  const before = readFileSync(join(cwd, "model.json"), "utf8");
  const args = ["apply", "model.json", "data.csv", "--out", "model.json"];
  expect(await kindred(args, { cwd })).toEqual(
    oneLine(2, /is the data that are read|is the file of --model/),
  );
  expect(readFileSync(join(cwd, "model.json"), "utf8")).toBe(before);
});

test("--out /dev/stdout writes to standard output, also where that is a file", async () => {
  const cwd = folderOfData();
  const args = ["cluster", "data.csv", "-m", "kmeans", "-k", "2", "--out", "/dev/stdout"];
  expect((await kindred(args, { cwd })).stdout).toContain("cluster\n");
  await new Promise((resolve) => {
    spawn("sh", ["-c", `"$@" > out.txt`, "sh", ...command, ...args], { cwd }).on("close", resolve);
  });
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toContain("cluster\n");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a file is written ends with 128 + n and leaves nothing",
  async (signal) => {
    const cwd = scratch();
    let text = "x,y\n";
    for (let i = 0; i < 400_000; i++) text += `${i % 7},${i % 11}\n`;
    writeFileSync(join(cwd, "data.csv"), text);
    const args = ["embed", "data.csv", "-m", "pca", "--out", "out.csv"];
    const child = spawn(command[0], [...command.slice(1), ...args], { cwd, stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
    while (child.exitCode === null && !listing(cwd).some((name) => name.endsWith(".tmp"))) await sleep(1);
    child.kill(signal);
    expect(await ended).toBe(signal === "SIGINT" ? 130 : 143);
    expect(listing(cwd)).toEqual(["data.csv"]);
  },
);

test("control characters of names and labels never reach the terminal", async () => {
  const cwd = scratch();
  const evil = "\u001b]0;owned\u0007\u009b31m\u202e";
  const name = "data\u001b[2J.csv";
  writeFileSync(join(cwd, name), `x${evil},y,class\n0,0,a${evil}\n0,1,a${evil}\n9,9,b\n9,8,b\n`);
  const { stdout, stderr, code } = await kindred(
    ["cluster", name, "-m", "kmeans", "-k", "2", "-l", "class"],
    { cwd },
  );
  expect(code).toBe(0);
  expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
  expect(stdout + stderr).toContain("\\u001b");
  const failed = await kindred(["cluster", name, "-k", "2"], { cwd });
  expect(failed.stderr).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
});

test("--spreadsheet-safe: what a spreadsheet would take for a formula has an apostrophe in front", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "data.csv"), 'id,x,y\n=1+1,0,0\n@sum,0,1\n-5,9,9\n"+cmd|x",9,8\n');
  const args = ["cluster", "data.csv", "-m", "kmeans", "-k", "2", "--id", "id", "--out", "-"];
  expect((await kindred([...args, "--spreadsheet-safe"], { cwd })).stdout).toMatch(
    /^id,cluster\n'=1\+1,\d\n'@sum,\d\n-5,\d\n'\+cmd\|x,\d\n$/,
  );
  expect((await kindred(args, { cwd })).stdout).toMatch(/^id,cluster\n=1\+1,/);
});

test("--spreadsheet-safe holds for whatever writes CSV", async () => {
  const cwd = scratch();
  const nasty = ["=a()", "@b", "+c|d"];
  const lines = Array.from({ length: 30 }, (_, i) => `=r${i},${i % 3},${(i * 7) % 5},"${nasty[i % 3]}"`);
  writeFileSync(join(cwd, "data.csv"), `=id,"=x","@y",=kind\n${lines.join("\n")}\n`);
  const model = ["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--id", "=id", "--model", "m.json"];
  expect((await kindred(model, { cwd })).code).toBe(0);
  const roles = ["--id", "=id", "--label", "=kind"];
  const commands = [
    ["cluster", "data.csv", "-m", "kmeans", "-k", "3", ...roles, "--append"],
    ["cluster", "data.csv", "-m", "kmeans", "-k", "3", ...roles, "--arithmetic", "relaxed"],
    ["cluster", "data.csv", "-m", "kmeans", "-k", "3", ...roles, "--names", "=n,@m,+o", "--append"],
    ["apply", "m.json", "data.csv"],
    ["classify", "data.csv", "-m", "knn", ...roles],
    ["select", "data.csv", "-m", "mrmr", "--features", "1", ...roles],
    ["embed", "data.csv", ...roles],
    ["segment", "data.csv", "--label", "=kind"],
    ["compare", "data.csv", "--methods", "kmeans", "-k", "3", ...roles],
  ];
  for (const args of commands) {
    const done = await kindred([...args, "--out", "out.csv", "--spreadsheet-safe"], { cwd });
    expect([args[0], done.code, done.stderr]).toEqual([args[0], 0, done.stderr]);
    expect(readFileSync(join(cwd, "out.csv"), "utf8")).not.toMatch(/(?:^|[,"])[=@+]/m);
  }
}, 60_000);

test("a file that its owner has protected is not replaced", async (context) => {
  if (process.getuid?.() === 0) context.skip("the administrator may write to all files");
  const cwd = folderOfData();
  writeFileSync(join(cwd, "kept.csv"), "old\n", { mode: 0o444 });
  const args = ["cluster", "data.csv", "-m", "kmeans", "-k", "2", "--out", "kept.csv"];
  expect(await kindred(args, { cwd })).toEqual(oneLine(1, /--out kept.csv: it is not writable/));
  expect(readFileSync(join(cwd, "kept.csv"), "utf8")).toBe("old\n");
});

test("a model that never ends is refused", async () => {
  const cwd = folderOfData();
  const { code, stderr } = await kindred(["apply", "/dev/zero", "data.csv"], { cwd });
  expect([code, stderr]).toEqual([1, "kindred: /dev/zero is longer than 500 MB, which no model is\n"]);
});
