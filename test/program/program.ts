// The program of the architecture, typed and strict: it runs in Node (scripts/test-package.mjs) and, bundled, in a browser
// (scripts/test-browser.mjs).
import { cluster, loadModel, readHints, readTable, type Source } from "kindred";

/** What comes out for files of customers, of hints about them, and of the rows of today. */
export async function program(customers: Source, hints: Source, today: Source): Promise<string[]> {
  const lines: string[] = [];
  const table = await readTable(customers);
  const found = await cluster(table, { hints: await readHints(hints, table) });
  for (const { name, rows, words } of found.profiles) lines.push(`${name} ${rows} ${words}`);
  const text = JSON.stringify(found);
  const { labels, distances } = loadModel(JSON.parse(text)).assign(await readTable(today));
  lines.push(`${labels.length} ${distances.every(Number.isFinite)}`);
  return lines;
}

/** A small table of customers, of which the plan and the amount tell two groups. */
export function customersCsv(): string {
  const lines = Array.from({ length: 120 }, (_, i) => {
    const large = i % 2 === 1;
    const spend = large ? 900 + 7 * (i % 31) : 12 + (i % 17);
    return `C${1000 + i},"$${spend}.50",${large ? "pro" : "free"},${i % 11 === 0 ? "NA" : (i * 7) % 50}`;
  });
  return `id,spend,plan,age\n${lines.join("\n")}\n`;
}

export const HINTS = "a,b,hint\nC1000,C1002,same\nC1001,C1003,same\nC1000,C1001,different\n";
