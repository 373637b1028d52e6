import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outputFile, requireDifferent } from "../../src/cli/outputFile.ts";
import { listing, scratch } from "./command.ts";

test("writes the parts as one file and leaves nothing beside it", () => {
  const folder = scratch();
  const path = join(folder, "labels.csv");
  outputFile(path, "--out").write(["cluster\n", "0\n", "1\n"]);
  expect(readFileSync(path, "utf8")).toBe("cluster\n0\n1\n");
  expect(listing(folder)).toEqual(["labels.csv"]);
});

test("a content that fails half-way leaves the older file as it was", () => {
  const folder = scratch();
  const path = join(folder, "labels.csv");
  writeFileSync(path, "precious");
  function* failing(): Generator<string> {
    yield "cluster\n";
    throw new Error("broken");
  }
  expect(() => outputFile(path, "--out").write(failing())).toThrow(
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

test("keeps the permissions of the file that it replaces", () => {
  const path = join(scratch(), "labels.csv");
  writeFileSync(path, "old");
  chmodSync(path, 0o640);
  outputFile(path, "--out").write(["new"]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("follows a link instead of replacing it", () => {
  const folder = scratch();
  const path = join(folder, "real.csv");
  writeFileSync(path, "old");
  symlinkSync(path, join(folder, "link.csv"));
  outputFile(join(folder, "link.csv"), "--out").write(["new"]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(listing(folder)).toEqual(["link.csv", "real.csv"]);
});

test("a device is written to, never replaced", () => {
  outputFile("/dev/null", "--out").write(["gone"]);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("one file for two outputs is refused", () => {
  expect(() => requireDifferent({ "--out": "a.csv", "--model": "./a.csv" })).toThrow(
    "--out and --model are the same file, ./a.csv",
  );
  expect(() => requireDifferent({ "--out": "-", "--model": "-", "--report": undefined })).not.toThrow();
});
