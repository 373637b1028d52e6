// What the default reaches on texts that somebody else sorted: mutual information and adjusted Rand index, with the number of
// clusters given and open, of each CSV file with the columns `text` and `class`.
//
//   node bench/texts.mjs FILE.csv ... [--mode both|open|given]
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { settings, timed } from "./measure.mjs";
import { sources } from "./sources.mjs";

const { words, mode } = settings({ mode: "both" });
const tools = await sources("run/cluster.ts", "data/columns/asTable.ts");
for (const file of words) {
  const table = await tools.readColumns(readFileSync(file));
  const { levels, codes } = table.columns.find(({ name }) => name === "class");
  const found = [];
  for (const clusters of [levels.length, undefined]) {
    if (mode === (clusters === undefined ? "given" : "open")) continue;
    const { result, cpu } = await timed(() =>
      tools.cluster(table, { ignore: ["class"], ...(clusters === undefined ? {} : { clusters }) }),
    );
    const { labels } = result;
    const scores = [tools.nmi(labels, codes), tools.adjustedRand(labels, codes)];
    const trust = clusters === undefined ? ` ${result.trust?.word}` : "";
    found.push(
      `${clusters === undefined ? `open ${result.clusters}` : `given ${clusters}`}: NMI ${scores[0].toFixed(3)} ` +
        `ARI ${scores[1].toFixed(3)} ${cpu.toFixed(1)} s${trust}`,
    );
  }
  console.log(`${basename(file, ".csv").padEnd(22)} ${found.join("   ")}`);
}
