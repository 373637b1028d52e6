// Makes the pool of every labelled set and measures the evidence of its partitions; kept in .cache/judge, a file per set.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sources } from "../../bench/sources.mjs";
import { shared } from "../../bench/shared.mjs";
import { labelledSets, setsWithoutGroups } from "./sets.mjs";

export const CACHE = join(import.meta.dirname, "..", "..", ".cache", "judge");

export async function toolsOf() {
  const tools = await sources(
    "run/cluster.ts",
    "judge/pool.ts",
    "data/columns/asTable.ts",
    "data/columns/column.ts",
    "features/index.ts",
    "judge/sampleBelief.ts",
    "judge/agreement.ts",
    "judge/evidence.ts",
    "judge/plausibility.ts",
    "judge/trust.ts",
    "judge/noGroups.ts",
  );
  const folder = shared("datasets");
  const listed = existsSync(folder) ? await tools.listData({ folder }) : [];
  return { ...tools, listed: listed.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** The belief over a set with its evidence, and how much each member agrees with the known classes. */
export async function evidenceOfSet(tools, set) {
  const { rows, options, truths } = await set.read();
  const table = tools.asTable(rows);
  const ignore = options.label === undefined ? [] : [options.label];
  const { X, record, rows: kept } = tools.tableFeatures(table, { ignore });
  const cpu = process.cpuUsage();
  const belief = tools.sampleBelief(X, record, { seed: 0, going: () => true });
  const { user, system } = process.cpuUsage(cpu);
  const asked = truths.map(({ K }) => K).filter((K) => K > 1 && K < belief.rows / 2);
  const counts = [...new Set(asked)].filter((K) => !belief.members.some(({ clusters }) => clusters === K));
  const further = counts.flatMap((K) => belief.pool.members([K]));
  const members = [...belief.members, ...further];
  const A = tools.agreements(members.map(({ labels }) => labels));
  const evidence = [...belief.evidence, ...belief.evidenceOf(further)];
  const places = Array.from({ length: belief.rows }, (_, p) => p);
  const known = truths.map(({ labels }) => {
    const own = places.map((p) => labels[kept?.[belief.order[p]] ?? belief.order[p]]);
    const there = places.filter((p) => own[p] !== -1);
    return { truth: there.map((p) => own[p]), there };
  });
  return {
    name: set.name,
    group: set.group,
    source: set.source,
    rows: X.rows,
    columns: belief.spaces.groups.length,
    distinct: belief.distinct / belief.rows,
    truths: truths.map(({ K }) => K),
    seconds: (user + system) / 1e6,
    members: members.map(({ method, space, clusters, labels }, m) => ({
      method,
      space,
      clusters,
      made: Math.max(...labels) + 1,
      ari: known.map(({ truth, there }) =>
        tools.adjustedRand(
          there.map((p) => labels[p]),
          truth,
        ),
      ),
      evidence: evidence[m],
      /** Part of the pool; the others have a number of clusters that only somebody who knows it asks for. */
      reference: m < belief.members.length,
    })),
    A: Buffer.from(Float32Array.from(A).buffer).toString("base64"),
  };
}

/** Every set with its evidence, computed once. */
export async function* allEvidence(tools) {
  mkdirSync(CACHE, { recursive: true });
  for (const set of [...labelledSets(tools), ...setsWithoutGroups(tools)]) {
    const file = join(CACHE, `${set.source}-${set.name}.json`.replaceAll(/[ /]/g, "_"));
    if (!existsSync(file)) {
      const found = await evidenceOfSet(tools, set);
      writeFileSync(file, JSON.stringify(found));
      console.log(`${set.source.padEnd(10)}${set.name.padEnd(28)}${found.seconds.toFixed(1)} s`);
    }
    yield { ...JSON.parse(readFileSync(file, "utf8")), group: set.group };
  }
}
