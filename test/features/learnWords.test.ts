import { describe, expect, it } from "vitest";
import { random } from "../../src/core/index.ts";
import { readColumns } from "../../src/data/index.ts";
import { encodeWords } from "../../src/features/encode/encodeWords.ts";
import { learnWords } from "../../src/features/encode/learnWords.ts";
import { knownWords, phrasesOf, wordsOf } from "../../src/features/encode/wordsOf.ts";
import { symmetricEigen } from "../../src/matrix/index.ts";

const TOPICS = [
  "apple pear plum fig peach cherry quince melon".split(" "),
  "piston valve clutch gear axle brake engine wheel".split(" "),
  "violin cello flute oboe harp drum horn lute".split(" "),
  "river lake sea pond brook bay ocean creek".split(" "),
];

/** Two words of one topic each, so most texts of a topic have no word in common. */
function texts(count: number, seed: number): { texts: string[]; topics: number[] } {
  const stream = random(seed);
  const topics = Array.from({ length: count }, (_, i) => i % TOPICS.length);
  const drawn = topics.map((topic) => {
    const [a, b] = stream.sample(2, TOPICS[topic].length);
    return `the ${TOPICS[topic][a]} and ${TOPICS[topic][b]}`;
  });
  return { texts: drawn, topics };
}

const rowsOf = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i);

describe("texts by the company of their words", () => {
  it("are near texts of the same topic, also without a common word", () => {
    const { texts: given, topics } = texts(600, 1);
    const cell = (row: number): string => given[row];
    const encoding = learnWords(cell, rowsOf(600), 0)!.encoding;
    const width = encoding.vectors.cols;
    const X = encodeWords(encoding, cell, rowsOf(600));
    const distance = (i: number, j: number): number => {
      let sum = 0;
      for (let f = 0; f < width; f++) sum += (X[i * width + f] - X[j * width + f]) ** 2;
      return sum;
    };
    let compared = 0;
    for (let i = 0; i < 40; i++) {
      const [, own] = wordsOf(given[i]).keys();
      for (let j = 40; j < 80; j++) {
        if (topics[i] !== topics[j] || given[j].includes(own)) continue;
        compared++;
        const other = Array.from({ length: 80 }, (_, k) => k).filter((k) => topics[k] !== topics[i]);
        const nearer = other.filter((k) => distance(i, k) < distance(i, j)).length;
        expect(nearer).toBeLessThan(0.05 * other.length);
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  it("have the eigenvectors of the mutual information, computed in another way", () => {
    const { texts: given } = texts(600, 2);
    const encoding = learnWords((row) => given[row], rowsOf(600), 0)!.encoding;
    const { words } = encoding;
    const distinct = [...new Set(given)].map((text) => new Set(wordsOf(text).keys()));
    const both = words.map((a) => words.map((b) => distinct.filter((t) => t.has(a) && t.has(b)).length));
    const sums = both.map((row) => row.reduce((x, y) => x + y, 0));
    const smooth = sums.map((sum) => sum ** 0.75);
    const all = smooth.reduce((x, y) => x + y, 0);
    const one = (a: number, b: number): number =>
      both[a][b] === 0 ? 0 : Math.max(0, Math.log(both[a][b] / (sums[a] * (smooth[b] / all))));
    const M = words.map((_, a) => words.map((__, b) => (one(a, b) + one(b, a)) / 2));
    const { values, vectors } = symmetricEigen({
      rows: words.length,
      cols: words.length,
      data: Float64Array.from(M.flat()),
    });
    const order = Array.from(values.keys()).sort((i, j) => values[j] - values[i]);
    for (let f = 0; f < encoding.vectors.cols; f++) {
      const k = order[f + 1];
      // Words in all texts have no weight; a sign is free.
      const expected = words.map((word, w) => {
        const rarity = Math.log(distinct.length / distinct.filter((text) => text.has(word)).length);
        return rarity * Math.sqrt(values[k]) * vectors.data[w * words.length + k];
      });
      const found = words.map((_, w) => encoding.vectors.data[w * encoding.vectors.cols + f]);
      const sign = Math.sign(expected.reduce((sum, x, w) => sum + x * found[w], 0));
      found.forEach((value, w) => expect(sign * value).toBeCloseTo(expected[w], 4));
    }
  });

  it("are unrelated if their words are drawn at random", () => {
    const vocabulary = TOPICS.flat();
    const related = Array.from({ length: 10 }, (_, seed) => {
      const stream = random(100 + seed);
      const drawn = Array.from({ length: 300 }, () =>
        Array.from(stream.sample(4, vocabulary.length), (w) => vocabulary[w]).join(" "),
      );
      return learnWords((row) => drawn[row], rowsOf(300), seed)?.related === true;
    });
    expect(related.filter(Boolean).length).toBeLessThanOrEqual(4);
  });

  it("do not change when every row stands twice", () => {
    const { texts: given } = texts(150, 3);
    const once = learnWords((row) => given[row], rowsOf(150), 0)!.encoding;
    const twice = learnWords((row) => given[row % 150], rowsOf(300), 0)!.encoding;
    expect(twice.words).toEqual(once.words);
    expect(twice.vectors).toEqual(once.vectors);
  });

  it("have the variance of as many numbers as they have components", () => {
    const { texts: given } = texts(200, 4);
    const cell = (row: number): string => given[row];
    const encoding = learnWords(cell, rowsOf(200), 0)!.encoding;
    const width = encoding.vectors.cols;
    const X = encodeWords(encoding, cell, rowsOf(200));
    const variances = Array.from({ length: width }, (_, f) => {
      const column = Array.from({ length: 200 }, (_, i) => X[i * width + f]);
      const mean = column.reduce((a, b) => a + b, 0) / 200;
      return column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 200;
    });
    const sum = variances.reduce((a, b) => a + b, 0);
    const effective = sum ** 2 / variances.reduce((a, b) => a + b * b, 0);
    expect(sum / effective).toBeCloseTo(1, 1);
    expect(sum).toBeGreaterThan(1);
  });

  it("are missing without a known word", () => {
    const { texts: given } = texts(600, 5);
    const encoding = learnWords((row) => given[row], rowsOf(600), 0)!.encoding;
    const cell = (row: number): string => ["", "zebra", `${TOPICS[0][0]} zebra`][row];
    const X = encodeWords(encoding, cell, rowsOf(3));
    const width = encoding.vectors.cols;
    expect([0, 1, 2].map((row) => Number.isNaN(X[row * width]))).toEqual([true, true, false]);
  });
});

describe("a word that is not known", () => {
  const places = new Map(
    ["karten", "spiel", "board", "boardgame", "game", "the", "게임", "天気"].map((word, w) => [word, w]),
  );
  it.each([
    ["Kartenspiele", { 0: 1, 1: 1 }],
    ["a boardgames' games", { 3: 1, 4: 1 }],
    ["other spiel spiele", { 1: 2 }],
    ["모바일게임", { 6: 1 }],
    ["天気予報", { 7: 1 }],
    ["x".repeat(60) + "game", {}],
  ])("stands for the longest known ones inside it: %s", (text, counts) => {
    expect(Object.fromEntries(knownWords(places)(text))).toEqual(counts);
  });

  it("says what its text is about", async () => {
    const games = ["Kartenspiel", "Brettspiel", "Ballspiel", "Würfelspiel", "Ratespiel", "Denkspiel"];
    const given = Array.from({ length: 400 }, (_, i) =>
      i % 2 === 0
        ? `das spiel macht freude ${i % 7 < 3 ? "kindern" : "allen"}`
        : `die bank senkt zinsen ${i % 5 < 2 ? "heute" : "bald"}`,
    );
    const { encoding } = learnWords((row) => given[row], rowsOf(400), 0)!;
    const shown = ["spiel", "bank", ...games];
    const X = encodeWords(encoding, (row) => shown[row], rowsOf(shown.length));
    const width = encoding.vectors.cols;
    for (let g = 2; g < shown.length; g++) {
      expect(X.subarray(g * width, (g + 1) * width)).toEqual(X.subarray(0, width));
    }
  });
});

it("phrases are neighbouring words; Japanese is read by its scripts", () => {
  expect([...phrasesOf("Command line tools, fast-ish")]).toEqual([
    "command",
    "line",
    "command line",
    "tools",
    "line tools",
    "fast",
    "ish",
  ]);
  expect([...phrasesOf("電子メールクライアント")]).toEqual(["メールクライアント", "電子"]);
  expect([...phrasesOf("ファイルを検索します")]).toEqual(["ファイル", "検索"]);
});

describe("words", () => {
  it.each([
    ["Perl's module, perl 5.36", { perl: 2, module: 1 }],
    ["ＡＢＣ straße", { abc: 1, straße: 1 }],
    ["東京の天気", { 東京: 1, 京の: 1, の天: 1, 天気: 1 }],
    ["天 weather", { 天: 1, weather: 1 }],
    ["__proto__ constructor", { proto: 1, constructor: 1 }],
    ["12 3.5 -", {}],
  ])("of %s", (text, counts) => {
    expect(Object.fromEntries(wordsOf(text))).toEqual(counts);
  });
});

it("titles of a script without spaces are texts, single words are not", async () => {
  const kindOf = async (cells: readonly string[]): Promise<string> => {
    const table = await readColumns(new TextEncoder().encode(`title\n${cells.join("\n")}\n`));
    return table.columns[0].kind;
  };
  const places = ["東京", "大阪", "京都", "札幌", "福岡"];
  const things = ["の天気予報", "のラーメン店", "の試合結果", "のホテル一覧"];
  expect(await kindOf(places.flatMap((place) => things.map((thing) => place + thing)))).toBe("text");
  expect(await kindOf(["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple"])).toBe("id");
});
