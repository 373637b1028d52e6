import { expect, test } from "vitest";
import { readColumns } from "../../src/data/index.ts";
import { profilesOf } from "../../src/model/profiles.ts";

const rows = Array.from({ length: 90 }, (_, i) => {
  const k = i % 3;
  const words = [
    ["chef", "kitchen", "salt"],
    ["goal", "coach", "match"],
    ["bank", "bonds", "rates"],
  ][k];
  const text = `the ${words[i % 2]} and the ${words[(i % 2) + 1]} of day number ${"abcdefgh"[i % 8].repeat(3)}`;
  return [
    text,
    ["yes", "no", "no"][k],
    ["low", "high", "medium"][k],
    ["alpha", "beta", "gamma"][k],
    10 * k + (i % 5),
  ];
});
const csv = `note,paid,level,team,size\n${rows.map((row) => row.join(",")).join("\n")}\n`;
const labels = Int32Array.from(rows, (_, i) => i % 3);

test("clusters are named by words, levels and sizes that say something alone", async () => {
  const table = await readColumns(new TextEncoder().encode(csv), { as: { note: "text" } });
  const profiles = profilesOf(table, labels, 3);
  const called = (k: number, column: string): string[] =>
    profiles[k].differences.filter((one) => one.column === column).map((one) => one.called);
  expect(called(0, "paid")).toEqual(["paid yes"]);
  expect(called(1, "level")).toEqual(["level high"]);
  expect(called(2, "team")).toEqual(["gamma"]);
  expect(called(2, "size")[0]).toMatch(/^(very )?high size$/);
  // Each of the three words of a topic is in two thirds, or all, of its texts; "the" is in all texts and tells nothing.
  expect(called(0, "note")[0]).toBe("kitchen");
  expect(called(1, "note")[0]).toBe("coach");
  expect(profiles.flatMap(({ differences }) => differences).some(({ level }) => level === "the")).toBe(false);
});

test("shares of words are those of the texts", async () => {
  const table = await readColumns(new TextEncoder().encode(csv), { as: { note: "text" } });
  const [first] = profilesOf(table, labels, 3);
  const word = first.differences.find(({ level }) => level === "kitchen")!;
  expect(word.here).toBe(1);
  expect(word.overall).toBeCloseTo(1 / 3, 12);
  expect(word.explained).toBeCloseTo(1, 12);
  expect(word.words).toBe('note: 100 % with "kitchen" (33 % overall)');
});

test("a topic has many words, each in few of its texts, and phrases where both words describe it", async () => {
  const own = [
    ["gene expression", "protein", "cell", "tissue"],
    ["interest rate", "bonds", "loans"],
  ];
  const lines = Array.from({ length: 400 }, (_, i) => {
    const words = own[i % 2];
    return `${words[(i >> 1) % words.length]} of it and ${words[(i >> 2) % words.length]} ${i % 2 === 0 ? "" : "to"} ${"xyz"[i % 3].repeat(4)}`;
  });
  const table = await readColumns(new TextEncoder().encode(`note\n${lines.join("\n")}\n`), {
    as: { note: "text" },
  });
  const topics = Int32Array.from(lines, (_, i) => i % 2);
  const [first, second] = profilesOf(table, topics, 2, [], [[0], [1]]);
  expect(first.differences.map(({ level }) => level)).toContain("gene expression");
  expect(first.differences.map(({ level }) => level)).not.toContain("gene");
  expect(second.differences.map(({ level }) => level)).toContain("interest rate");
  expect(second.name).not.toMatch(/\bto\b/);
  expect(first.words).toMatch(/; note: \d+ % with ".*; typical: "gene expression of it/);
  expect(first.words.match(/note: /g)).toHaveLength(1);
});

test("lists are told by their things, paths by their beginnings", async () => {
  const things = [
    ["screws", "nails", "glue"],
    ["milk", "bread", "eggs"],
  ];
  const lines = Array.from({ length: 120 }, (_, i) => {
    const k = i % 2;
    const list = things[k].filter((_, t) => t === 0 || (i >> t) % 2 === 1).join(";");
    const path = `${["tools", "food"][k]} > ${"abcdef"[i % 6]}${k}`;
    return `"${list}",${i % 9 === 0 ? "" : path},${i}`;
  });
  const table = await readColumns(new TextEncoder().encode(`basket,shelf,size\n${lines.join("\n")}\n`));
  expect(table.columns.map(({ reading }) => reading?.form)).toEqual(["list", "path", undefined]);
  const parts = Int32Array.from(lines, (_, i) => i % 2);
  const [first, second] = profilesOf(table, parts, 2);
  const told = ({ differences }: typeof first, column: string): string =>
    differences.find((one) => one.column === column)!.words;
  expect(told(first, "basket")).toBe("basket: 100 % with screws (50 % overall)");
  expect(told(second, "basket")).toBe("basket: 100 % with milk (50 % overall)");
  expect(told(first, "shelf")).toMatch(/^shelf: 8\d % with tools \(44 % overall\)$/);
});

test("rows in no cluster are in no share", async () => {
  const table = await readColumns(new TextEncoder().encode(csv), { as: { note: "text" } });
  const marked = labels.map((label, i) => (i < 3 ? -1 : label));
  const profiles = profilesOf(table, marked, 3);
  expect(profiles.map(({ rows: count }) => count)).toEqual([29, 29, 29]);
  for (const { differences } of profiles)
    for (const { here, overall, effect } of differences)
      expect([here, overall, effect].every(Number.isFinite)).toBe(true);
});

test("times are told as people write them", async () => {
  const times = [
    ["06:30", "0:41:00", "2024-01-05"],
    ["18:20", "1:25:00", "2025-06-01"],
  ];
  const lines = Array.from({ length: 40 }, (_, i) => {
    const [clock, length, day] = times[i % 2];
    // Some variation, so that no column is a copy of another one.
    return [`${clock.slice(0, 4)}${i % 5}`, length, day.replace("-01", `-0${1 + ((i * 7) % 3)}`), i % 7].join(
      ",",
    );
  });
  const table = await readColumns(
    new TextEncoder().encode(`usual,session,joined,other\n${lines.join("\n")}\n`),
  );
  const [first, second] = profilesOf(
    table,
    Int32Array.from(lines, (_, i) => i % 2),
    2,
  );
  const words = (profile: typeof first, column: string): string =>
    profile.differences.find((one) => one.column === column)?.words ?? "";
  expect(words(first, "usual")).toMatch(/^usual 06:32 \(overall \d\d:\d\d\)$/);
  expect(words(first, "session")).toMatch(/^session 41 min \(overall 1 h 3 min\)$/);
  expect(words(second, "session")).toMatch(/^session 1 h 25 min/);
  expect(words(second, "joined")).toMatch(/^joined 2025-0\d-\d\d/);
  expect(second.differences.find(({ column }) => column === "joined")?.called).toMatch(/late joined$/);
});

test("a column with few known cells tells less than one with all", async () => {
  const some = rows.map((row, i) => (i < 9 ? row[3] : ""));
  const text = `team,remark\n${rows.map((row, i) => `${row[3]},${some[i]}`).join("\n")}\n`;
  const table = await readColumns(new TextEncoder().encode(text), {});
  const [{ differences }] = profilesOf(table, labels, 3);
  const of = (name: string): number => differences.find(({ column }) => column === name)!.effect;
  // The same shares among known cells; one tenth of the cells is known.
  expect(of("remark")).toBeCloseTo(of("team") * Math.sqrt(0.1), 12);
});

test("where no column tells a cluster apart, its typical rows do", async () => {
  const text = `title,noise\n${rows.map((_, i) => `"the ${"abcdefghijklmnopqrstuvwxyz"[i % 26]}${i} story",${(i * 37) % 10}`).join("\n")}\n`;
  const table = await readColumns(new TextEncoder().encode(text), { as: { title: "text" } });
  const same = Int32Array.from(rows, (_, i) => (i < 45 ? 0 : 1));
  const typical = [[4, 7], [50]];
  const [first, second] = profilesOf(table, same, 2, [], typical);
  expect(first.name).toBe('like "the e4 story"');
  expect(first.words).toBe(
    '45 of 90 rows; no single column distinguishes it; typical: "the e4 story", "the h7 story"',
  );
  expect(second.name).toBe('like "the y50 story"');
  expect(profilesOf(table, same, 2)[0]).toMatchObject({ name: "ordinary" });
});

test("where medians are equal, shares are told", async () => {
  // Medians are 0 in both clusters; three tenths of one and nothing of the other is above.
  const text = `visits\n${rows.map((_, i) => (i % 3 === 0 && i % 10 < 4 ? 5 + (i % 2) : 0)).join("\n")}\n`;
  const table = await readColumns(new TextEncoder().encode(text), { as: { visits: "number" } });
  const two = Int32Array.from(rows, (_, i) => (i % 3 === 0 ? 0 : 1));
  const [first, second] = profilesOf(table, two, 2);
  expect(first.differences[0].words).toBe("visits: 40 % at least 5 (13 % overall)");
  expect(second.differences[0].words).toBe("visits: 100 % below 5 (87 % overall)");
});

test("timestamps of a few days are told with their time, those of years by the day", async () => {
  const told = async (minutes: number): Promise<string> => {
    const lines = rows.map((_, i) =>
      new Date(1.7e12 + 60_000 * minutes * (1000 * (i % 3) + i * i)).toISOString(),
    );
    const table = await readColumns(
      new TextEncoder().encode(`time,row\n${lines.map((at, i) => `${at},${i}`).join("\n")}\n`),
    );
    return profilesOf(table, labels, 3)[0].differences.find(({ column }) => column === "time")!.words;
  };
  expect(await told(1)).toMatch(/20\d\d-\d\d-\d\d \d\d:\d\d/);
  expect(await told(200)).toMatch(/20\d\d-\d\d-\d\d(?! \d\d:)/);
});

test("a level that most rows of a cluster lack does not name it by itself", async () => {
  // Cluster 0: four of ten are cooks, the others of four trades; nobody else cooks.
  const trade = (i: number): string =>
    i % 2 === 1 ? `guest${"abc"[i % 3]}` : i % 10 < 4 ? "cook" : `hand${"wxyz"[i % 4]}`;
  const people = Array.from({ length: 200 }, (_, i) => trade(i));
  const table = await readColumns(new TextEncoder().encode(`trade\n${people.join("\n")}\n`), {
    as: { trade: "category" },
  });
  const own = Int32Array.from(people, (_, i) => i % 2);
  expect(profilesOf(table, own, 2)[0].differences[0].called).toBe("often cook");
});

test("large numbers are written in groups of three digits, years are not", async () => {
  const text = `price,year\n${rows.map((_, i) => `${12_000_000 + 1_000_000 * (i % 3)},${1990 + 10 * (i % 3)}`).join("\n")}\n`;
  const table = await readColumns(new TextEncoder().encode(text), {});
  const words = profilesOf(table, labels, 3)[2].words;
  expect(words).toContain("price 14,000,000 (overall 13,000,000)");
  expect(words).toMatch(/year 2010/);
});
