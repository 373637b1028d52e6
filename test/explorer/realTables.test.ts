import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openTable } from "../../explorer/worker/openTable.ts";
import { solve } from "../../explorer/worker/solve.ts";
import { cluster, readTable } from "../../src/index.ts";
import { kindred } from "../cli/command.ts";

/*
 * Page, command and library read a table in the same way, leave out the same columns and find the same clusters: on
 * every table of the folder KINDRED_SHARED, which is not in the repository. The page's code runs in Node here: another engine
 * of JavaScript rounds Math.exp and its kin otherwise, so a table without clear groups may have others in a browser.
 */
const shared = process.env.KINDRED_SHARED ?? fileURLToPath(new URL("../../../shared", import.meta.url));
const index = join(shared, "real", "index.json");
const files = existsSync(index)
  ? (JSON.parse(readFileSync(index, "utf8")) as readonly { readonly file: string }[]).map(({ file }) => file)
  : [];

interface Column {
  readonly name: string;
  readonly kind: string;
  readonly weight: number;
}

/** What every column was read as, and what it counts for. */
function decisions(columns: readonly Column[]): readonly string[] {
  return columns.map(({ name, kind, weight }) => `${name}: ${kind}, ${weight.toFixed(6)}`);
}

test.skipIf(files.length === 0).each(files)(
  "%s: the same in the page, the command and the library",
  async (file) => {
    const path = join(shared, "real", file);
    const { stdout } = await kindred(["cluster", path, "--json"]);
    const command = JSON.parse(stdout) as { labels: number[]; data: { columns: readonly Column[] } };
    const table = await openTable(
      {
        key: files.indexOf(file),
        source: { kind: "file", name: file, file: new Blob([readFileSync(path)]) },
        reading: { as: {} },
      },
      () => {},
    );
    const page = await solve(
      {
        table,
        off: [],
        scale: "auto",
        weights: "auto",
        missing: "fill",
        edits: [],
        statements: [],
        method: "auto",
        seed: 0,
        own: {},
        same: [],
        different: [],
      },
      () => {},
    );
    expect(decisions(page.columns)).toEqual(decisions(command.data.columns));
    expect(Array.from(page.labels)).toEqual(command.labels);
    const library = await cluster(await readTable(path));
    expect(Array.from(library.labels)).toEqual(command.labels);
  },
);
