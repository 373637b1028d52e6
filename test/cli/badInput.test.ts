import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { kindred, listing, oneLine, scratch, type Outcome } from "./command.ts";

/*
 * Every fault that a table can have ends in one line that names the place, a non-zero exit code, nothing on standard
 * output, and output files as they were.
 */
const OLD = "an older result";

async function clusterBad(content: string | Uint8Array, args: readonly string[] = []): Promise<Outcome> {
  const folder = scratch();
  writeFileSync(join(folder, "bad.csv"), content);
  writeFileSync(join(folder, "labels.csv"), OLD);
  const outputs = ["--out", "labels.csv", "--model", "model.json"];
  const outcome = await kindred(["cluster", "bad.csv", "--clusters", "2", ...outputs, ...args], {
    cwd: folder,
  });
  expect(listing(folder)).toEqual(["bad.csv", "labels.csv"]);
  expect(readFileSync(join(folder, "labels.csv"), "utf8")).toBe(OLD);
  return outcome;
}

describe("the table", () => {
  test.each<[string, string, RegExp]>([
    ["an empty file", "", /bad\.csv is empty/],
    ["a header without rows", "a,b\n", /bad\.csv has no rows of data/],
    ["a row that is too long", "a,b\n1,2\n3,4\n4,5,6\n", /bad\.csv line 4: expected 2 cells, found 3/],
    [
      "columns of different words, control characters",
      "a,b\n1,2\n1,\u001B[2Jo\u0085ps\n",
      /bad\.csv: no column can be used: a \(.*\), b \(id\); --as says what a column is/,
    ],
    ["one row", "a,b\n1,2\n", /bad\.csv has 1 row; clustering needs at least two/],
    [
      "constant columns only",
      "a,b\n1,2\n1,2\n1,2\n",
      /no column can be used: a \(constant\), b \(constant\)/,
    ],
    ["an open quote", 'a,b\n1,"2\n3,4\n', /bad\.csv line 2.*quote/],
    ["UTF-16", "\ufffea,b\n1,2\n", /bad\.csv has 1 row/],
  ])("%s", async (_, content, message) => {
    const bytes = content.startsWith("\ufffe")
      ? Buffer.from(`\ufeff${content.slice(1)}`, "utf16le")
      : content;
    expect(await clusterBad(bytes)).toEqual(oneLine(1, message));
  });

  test.each<[string, string, RegExp]>([
    ["a ragged row", "a,b\n1,2\n3\n4,5\n", /bad\.csv line 3: expected 2 cells, found 1/],
    ["a row that is too long", "a,b\n1,2\n3,4\n4,5,6\n", /bad\.csv line 4: expected 2 cells, found 3/],
    [
      "text in a numeric column",
      "a,b\n1,2\n3,oops\n4,5\n",
      /bad\.csv line 3, column "b": "oops" is not a number/,
    ],
    ["control characters", "a,b\n1,2\n3,\u001B[2Jo\u0085ps\n", /"\\u001b\[2Jo\\u0085ps" is not a number/],
    [
      "NaN",
      "a,b\n1,2\n3,NaN\n4,5\n",
      /bad\.csv: 1 missing value: line 3, column "b"; --missing can drop their rows/,
    ],
    ["a missing cell", "a,b\n1,2\n,4\n4,5\n", /bad\.csv: 1 missing value: line 3, column "a"/],
    [
      "Infinity",
      "a,b\n1,2\n3,-Infinity\n4,5\n",
      /bad\.csv line 3, column "b": -Infinity is not a finite number/,
    ],
    [
      "a number beyond doubles",
      "a,b\n1,2\n3,1e999\n4,5\n",
      /bad\.csv line 3, column "b": 1e999 is not a finite/,
    ],
    ["one row", "a,b\n1,2\n", /bad\.csv has 1 row; clustering needs at least two/],
    ["constant columns only", "a,b\n1,2\n1,2\n1,2\n", /every column is constant/],
    ["two columns of one name", "a,a\n1,2\n3,4\n5,6\n", /columns 1 and 2 are both named "a"/],
  ])("--strict: %s", async (_, content, message) => {
    expect(await clusterBad(content, ["--strict"])).toEqual(oneLine(1, message));
  });

  test("what is taken as missing, filled or renamed is noted; --missing refuse refuses it", async () => {
    const folder = scratch();
    const rows = Array.from({ length: 40 }, (_, i) => `${i * 1.5},${(i * 7) % 11}.25,${i % 5}.5`);
    rows[3] = "4.5,oops,3.5";
    rows[4] = "6";
    rows[5] = "7.5,,0.5";
    writeFileSync(join(folder, "bad.csv"), `a,b,b\n${rows.join("\n")}\n`);
    const line = ["cluster", "bad.csv", "-m", "kmeans", "-k", "2"];
    const { code, stdout } = await kindred(line, { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note +1 row has too few cells \(first: line 6\)/m);
    expect(stdout).toMatch(/^note +column "b": .*"oops".*missing/m);
    expect(stdout).toMatch(/^note +repeated names were changed: b_2$/m);
    expect(stdout).toMatch(/^note +.*filled/m);
    const refused = await kindred([...line, "--missing", "refuse"], { cwd: folder });
    expect(refused).toEqual(oneLine(1, /row 3, column "b" is missing/));
  });

  test("more clusters than rows", async () => {
    const outcome = await clusterBad("a,b\n1,2\n3,4\n5,6\n", ["--clusters", "4"]);
    expect(outcome).toEqual(oneLine(2, /--clusters is 4, but bad\.csv has only 3 rows/));
  });

  test("a truncated gzip", async () => {
    const packed = gzipSync(`a,b\n${"1,2\n3,4\n".repeat(1000)}`);
    expect(await clusterBad(packed.subarray(0, packed.length >> 1))).toEqual(oneLine(1, /bad\.csv.*gzip/));
  });

  test("a damaged gzip", async () => {
    const packed = gzipSync(`a,b\n${"1,2\n3,4\n".repeat(1000)}`);
    packed[packed.length - 6] ^= 0xff; // in the checksum
    expect(await clusterBad(packed)).toEqual(oneLine(1, /bad\.csv.*gzip/));
  });

  test.each([
    [["--label", "klass"], /--label names the column "klass".*"a", "b"/],
    [["--ignore", "a,klass"], /--ignore names the column "klass".*"a", "b"/],
    [["--id", "klass"], /--id names the column "klass".*"a", "b"/],
    [["--batch", "klass"], /--batch names the column "klass".*"a", "b"/],
    [["--use", "klass"], /--use names the column "klass".*"a", "b"/],
    [["--categorical", "klass"], /--as names the column "klass".*"a", "b"/],
    [["--label", "a", "--ignore", "a"], /column "a" is named by both --label and --ignore/],
    [["--ignore", "a,b"], /no column can be used: a \(as asked\), b \(as asked\)/],
  ])("an unknown or unusable column: %j", async (args, message) => {
    const outcome = await clusterBad("a,b\n1,2\n3,4\n5,6\n", args);
    expect(outcome.code === 1 || outcome.code === 2).toBe(true);
    expect(outcome).toEqual(oneLine(outcome.code!, message));
  });

  test("a format that the file does not have", async () => {
    const outcome = await clusterBad("a,b\n1,2\n3,4\n5,6\n", ["--format", "parquet"]);
    expect(outcome).toEqual(oneLine(1, /bad\.csv/));
  });
});

describe("files that cannot be read", () => {
  test.each([
    ["nowhere.csv", /there is no file nowhere\.csv, and no data set of that name/],
    [".", /cannot read \.: it is a folder/],
    ["/proc/self/mem", /cannot read \/proc\/self\/mem/],
    ["wine extra.csv", /there is no file wine \(several sources must all be files\)/],
  ])("%s", async (path, message) => {
    expect(await kindred(["cluster", ...path.split(" "), "-k", "2"], { cwd: scratch() })).toEqual(
      oneLine(1, message),
    );
  });

  test("a data folder without an index", async () => {
    const folder = scratch();
    const outcome = await kindred(["cluster", "nothing", "-k", "2", "--data", folder]);
    expect(outcome).toEqual(oneLine(1, /cannot read .*index\.json/));
  });

  test("an empty standard input", async () => {
    for (const given of [["-"], []]) {
      const outcome = await kindred(["cluster", ...given, "-k", "2"], { input: "" });
      expect(outcome).toEqual(oneLine(1, /standard input is empty/));
    }
  });
});

describe("files that cannot be written", () => {
  test.each([
    ["--out", "no/labels.csv", /--out no\/labels\.csv: the folder no does not exist/],
    ["--model", "no/m.json", /--model no\/m\.json: the folder no does not exist/],
    ["--out", "sub", /--out sub: this is a folder, not a file/],
  ])("%s %s is refused before anything is read", async (option, path, message) => {
    const folder = scratch();
    mkdirSync(join(folder, "sub"));
    // The input does not exist either: the output is looked at first.
    const outcome = await kindred(["cluster", "nowhere.csv", "-k", "2", option, path], { cwd: folder });
    expect(outcome).toEqual(oneLine(1, message));
    expect(listing(folder)).toEqual(["sub"]);
  });

  test("a full device", async () => {
    const outcome = await kindred(["cluster", "wine", "-m", "kmeans", "-k", "3", "--out", "/dev/full"]);
    expect(outcome).toEqual(oneLine(1, /--out \/dev\/full: cannot be written \(the disk is full\)/));
  });
});

describe("command lines that make no sense", () => {
  test.each<[string[], RegExp]>([
    [
      ["cluster", "wine", "--k", "3"],
      /unknown option '--k' \(Did you mean -k\?\) \(see kindred cluster --help\)/,
    ],
    [
      ["cluster", "wine", "--save", "m.json"],
      /unknown option '--save' \(Did you mean --model\?\) \(see kindred cluster --help\)/,
    ],
    [["cluster", "wine", "--n_clusters=3"], /unknown option '--n_clusters=3'.*Did you mean --clusters\?/],
    [["clutser", "wine"], /unknown command 'clutser' \(Did you mean cluster\?\) \(see kindred --help\)/],
    [["cluster", "wine", "-m", "kmeans"], /kmeans needs --clusters/],
    [["cluster", "wine", "-k", "0"], /--clusters.*at least 1/],
    [["cluster", "wine", "-k", "2.5"], /--clusters.*integer/],
    [["cluster", "wine", "-k", "three"], /--clusters.*integer/],
    [
      ["cluster", "wine", "-k", "3", "--lable", "class"],
      /unknown option '--lable' \(Did you mean one of --label, --table\?\)/,
    ],
    [["cluster", "wine", "-k", "3", "--method", "magic"], /--method.*The choices are/],
    [
      ["cluster", "wine", "-k", "3", "--scale", "odd"],
      /--scale.*Allowed choices are auto, zscore, minmax, robust, unit, none/,
    ],
    [["cluster", "wine", "-k", "3", "--seed", "-1"], /--seed.*at least 0/],
    [["cluster", "wine", "-m", "kmeans", "-k", "3", "--tolerance", "2"], /--tolerance.*below 1/],
    [["cluster", "wine", "-k", "3", "--label", "klass"], /"wine" has no known classes called "klass"/],
    [
      ["cluster", "wine", "-k", "3", "--ignore", "klass"],
      /--ignore names the column "klass", which wine does not have; did you mean "class"\? The columns are "alcohol"/,
    ],
    [["cluster", "wine", "-k", "3", "--id", "klass"], /--id is for files; "wine" is a named data set/],
    [["cluster", "wine", "-k", "3", "--json", "--out", "-"], /both write to standard output/],
    [["data", "blobs", "--rowz", "3"], /there is no option "rowz"; the options are rows/],
    [["data", "blobs", "--rows", "-3"], /"rows" must be an integer at least 1, got -3/],
    [["data", "blobs", "extra"], /"extra" is not an option/],
    [["data", "wine", "--rows", "1"], /--rows: "wine" is not generated and takes no options/],
    [["data", "--rows", "3"], /unknown option --rows/],
    [["data", "wine", "--json"], /--json is for the list/],
    [["score", "a.csv"], /give the known classes as the second file/],
    [["score", "-", "-"], /standard input can be one of the two files, not both/],
    [["doctor", "--fix"], /unknown option '--fix'/],
  ])("%j", async (args, message) => {
    const { stdout, ...outcome } = await kindred(args);
    expect({ ...outcome, stdout: "" }).toEqual(oneLine(2, message));
    // Under --json the failure is on standard output, too.
    const told = stdout === "" ? undefined : JSON.parse(stdout).error;
    expect(told?.kind).toBe(args.includes("--json") ? "option" : undefined);
    expect(told?.message ?? outcome.stderr).toMatch(message);
  });

  test("under --json a failure says what it concerns", async () => {
    const { code, stdout } = await kindred(["cluster", "iris", "--ignore", "klass", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ kind: "option", option: "ignore" });
  });

  test("a table is not written as text under the name of another format", async () => {
    for (const name of ["x.parquet", "x.arrow", "x.xlsx"]) {
      const outcome = await kindred(["cluster", "iris", "-m", "kmeans", "-k", "3", "--out", name]);
      expect(outcome).toEqual(oneLine(2, /tables are written as text; name the file \.csv or \.tsv/));
    }
  });
});
