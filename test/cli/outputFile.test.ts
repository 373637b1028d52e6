import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outputFile, requireDifferent } from "../../src/cli/output/outputs.ts";
import { listing, scratch } from "./command.ts";

test("writes the parts as one file and leaves nothing beside it", async () => {
  const folder = scratch();
  const path = join(folder, "labels.csv");
  await outputFile(path, "--out").write(["cluster\n", "0\n", "1\n"]);
  expect(readFileSync(path, "utf8")).toBe("cluster\n0\n1\n");
  expect(listing(folder)).toEqual(["labels.csv"]);
});

test("a content that fails half-way leaves the older file as it was", async () => {
  const folder = scratch();
  const path = join(folder, "labels.csv");
  writeFileSync(path, "precious");
  function* failing(): Generator<string> {
    yield "cluster\n";
    throw new Error("broken");
  }
  await expect(outputFile(path, "--out").write(failing())).rejects.toThrow(
    `--out ${path}: cannot be written (broken)`,
  );
  expect(readFileSync(path, "utf8")).toBe("precious");
  expect(listing(folder)).toEqual(["labels.csv"]);
});

test("nothing is made until the content is there", () => {
  const folder = scratch();
  outputFile(join(folder, "labels.csv"), "--out");
  expect(listing(folder)).toEqual([]);
});

test("a missing folder is an error at once", () => {
  const folder = scratch();
  expect(() => outputFile(join(folder, "no", "labels.csv"), "--out")).toThrow(
    `the folder ${join(folder, "no")} does not exist`,
  );
});

test("a folder in the place of the file, or a file in the place of the folder, is an error at once", () => {
  const folder = scratch();
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "file"), "");
  expect(() => outputFile(join(folder, "sub"), "--model")).toThrow("this is a folder, not a file");
  expect(() => outputFile(join(folder, "file", "m.json"), "--model")).toThrow("does not exist");
});

test("keeps the permissions of the file that it replaces", async () => {
  const path = join(scratch(), "labels.csv");
  writeFileSync(path, "old");
  chmodSync(path, 0o640);
  await outputFile(path, "--out").write(["new"]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("follows a link instead of replacing it", async () => {
  const folder = scratch();
  const path = join(folder, "real.csv");
  writeFileSync(path, "old");
  symlinkSync(path, join(folder, "link.csv"));
  await outputFile(join(folder, "link.csv"), "--out").write(["new"]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(listing(folder)).toEqual(["link.csv", "real.csv"]);
});

test("a device is written to, never replaced", async () => {
  await outputFile("/dev/null", "--out").write(["gone"]);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("one file for two outputs is refused", () => {
  expect(() => requireDifferent({ "--out": "a.csv", "--model": "./a.csv" })).toThrow(
    "--out and --model are the same file, ./a.csv",
  );
  expect(() => requireDifferent({ "--out": "-", "--model": "-", "--report": undefined })).not.toThrow();
});

test("two outputs are the same file also through a link, of which the file may not be there yet", () => {
  const folder = scratch();
  symlinkSync("model.json", join(folder, "link.json"));
  expect(() =>
    requireDifferent({ "--out": join(folder, "model.json"), "--model": join(folder, "link.json") }),
  ).toThrow("--out and --model are the same file");
});

test("a link that leads to no file yet is followed, and one that leads to itself is an error at once", async () => {
  const folder = scratch();
  symlinkSync("later.csv", join(folder, "link.csv"));
  await outputFile(join(folder, "link.csv"), "--out").write(["new"]);
  expect(readFileSync(join(folder, "later.csv"), "utf8")).toBe("new");
  symlinkSync("round.csv", join(folder, "round.csv"));
  expect(() => outputFile(join(folder, "round.csv"), "--out")).toThrow("its links lead nowhere");
});

test("a name that is too long is an error at once", () => {
  expect(() => outputFile(join(scratch(), "x".repeat(300)), "--out")).toThrow("the name is too long");
});

test("a long text of characters that take two places is written as it is", async () => {
  const path = join(scratch(), "long.txt");
  const text = `a${"\u{1F600}".repeat(1_200_000)}`;
  await outputFile(path, "--out").write([text, "", "end"]);
  expect(readFileSync(path, "utf8")).toBe(`${text}end`);
});

test("what a killed process has left is removed by the next that writes there; what a living one writes stays", async () => {
  const folder = scratch();
  await outputFile(join(folder, "first.csv"), "--out").write(
    (function* () {
      // The name of a temporary file as this machine makes it, of a process that is no more.
      const [own] = listing(folder);
      writeFileSync(join(folder, own.replace(`-${process.pid}-`, "-999999999-")), "");
      writeFileSync(join(folder, own.replace(/-[0-9a-f]{12}\.tmp$/, "-000000000000.tmp")), "");
      yield "1\n";
    })(),
  );
  expect(listing(folder)).toHaveLength(3);
  await outputFile(join(folder, "second.csv"), "--out").write(["2\n"]);
  expect(listing(folder).filter((name) => !name.startsWith("."))).toEqual(["first.csv", "second.csv"]);
  expect(listing(folder).filter((name) => name.startsWith("."))).toEqual([
    expect.stringMatching(/-000000000000\.tmp$/),
  ]);
});
