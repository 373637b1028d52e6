import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readColumns } from "../../src/data/index.ts";
import { cluster, embedTexts, run, type Embedder } from "../../src/run/index.ts";
import { localModel } from "../../src/run/embed/localModel.ts";
import { loadModel } from "../../src/model/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-embed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Titles of two topics without a common word: only their vectors tell them apart. */
const TOPICS = ["cat dog cow pig hen", "gin rum ale tea fig"].map((words) => words.split(" "));
const titles = Array.from(
  { length: 60 },
  (_, i) => `${TOPICS[i % 2][(i >> 1) % 5]} ${"abcdefghij"[i % 10].repeat(3)}${i}`,
);
const topics = titles.map((_, i) => i % 2);
const csv = `title\n${titles.join("\n")}\n`;
const tableOf = (text = csv) => readColumns(new TextEncoder().encode(text), { as: { title: "text" } });

/** What a model would know: the topic of the first word, and a little of its own. */
function vectorOf(text: string): number[] {
  const topic = TOPICS.findIndex((words) => words.includes(text.split(" ")[0]));
  const own = [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1009, 7);
  return [
    topic === 0 ? 1 : 0,
    topic === 1 ? 1 : 0,
    0.1 * Math.sin(own),
    0.1 * Math.cos(own),
    0.1 * Math.sin(2 * own),
  ];
}

interface Asked {
  readonly input: readonly string[];
  readonly model: string;
  readonly key: string | undefined;
}
let server: Server;
let asked: Asked[];
let answers: ((
  body: Asked,
  request: IncomingMessage,
) => { status?: number; headers?: object; body: unknown })[];
let cache: string;
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`;
const vectors = ({ input }: Asked) => ({
  // In another order, as the index allows.
  body: { data: input.map((text, index) => ({ index, embedding: vectorOf(text) })).toReversed() },
});

beforeEach(async () => {
  asked = [];
  answers = [];
  cache = mkdtempSync(join(folder, "cache-"));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      const one = { ...body, key: request.headers.authorization };
      asked.push(one);
      const answer = (answers.shift() ?? vectors)(one, request) as ReturnType<(typeof answers)[0]>;
      response.writeHead(answer.status ?? 200, answer.headers as Record<string, string>);
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe("an address that the user names", () => {
  test("gives vectors in batches, which decide the clusters, and is not asked again", async () => {
    vi.stubEnv("KINDRED_EMBED_KEY", "secret");
    const file = join(folder, "titles.csv");
    writeFileSync(file, csv);
    const request = {
      rows: [file],
      as: { title: "text" },
      embed: "small",
      embedUrl: url(),
      embedCache: cache,
      clusters: 2,
    };
    const { clustering } = await run(request);
    expect(adjustedRand(clustering.labels, topics)).toBe(1);
    expect(asked.every(({ key, model }) => key === "Bearer secret" && model === "small")).toBe(true);
    expect(asked.flatMap(({ input }) => input).toSorted()).toEqual([...new Set(titles)].toSorted());
    const calls = asked.length;
    const again = await run(request);
    expect(asked.length).toBe(calls);
    expect(again.clustering.labels).toEqual(clustering.labels);
    expect(readdirSync(cache)).toHaveLength(1);
    await run({ ...request, embed: "other" });
    expect(asked.length).toBeGreaterThan(calls);
  });

  test("takes at most 64 texts at a time, each once, and none that is empty", async () => {
    const many = ["", ...Array.from({ length: 150 }, (_, i) => `cat ${i % 140}`)];
    const table = await tableOf(`id,title\n${many.map((title, i) => `${i},${title}`).join("\n")}\n`);
    const whole = await embedTexts(table, { embed: "small", embedUrl: url(), embedCache: cache });
    expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 12]);
    const added = whole.columns.at(-1)!;
    expect([added.name, added.missing, added.vectors!.cols]).toEqual(["title (meaning)", 1, 5]);
    expect(Array.from(added.vectors!.data.subarray(5, 10))).toEqual(
      Array.from(Float32Array.from(vectorOf("cat 0"))),
    );
  });

  test("is asked again when it is busy, and an interrupted run keeps what it got", async () => {
    const busy = () => ({ status: 429, headers: { "retry-after": "0" }, body: "slow down" });
    answers = [vectors, busy, busy];
    const many = `title\n${Array.from({ length: 100 }, (_, i) => `cat ${i}`).join("\n")}\n`;
    await embedTexts(await tableOf(many), { embed: "small", embedUrl: url(), embedCache: cache });
    expect(asked).toHaveLength(4);
    asked = [];
    answers = [vectors, () => ({ status: 400, body: { error: "no such model" } })];
    const other = { embed: "second", embedUrl: url(), embedCache: cache };
    await expect(embedTexts(await tableOf(many), other)).rejects.toThrow(/answers 400: .*no such model/);
    expect(asked).toHaveLength(2);
    await embedTexts(await tableOf(many), other);
    expect(asked.map(({ input }) => input.length)).toEqual([64, 36, 36]);
  });

  test.each([
    ["refuses the key", () => ({ status: 401, body: "" }), /refuses the key \(401\): set KINDRED_EMBED_KEY/],
    [
      "is a page",
      () => ({ body: "<html>" }),
      /does not answer like OpenAI's embeddings: the answer is no JSON/,
    ],
    ["gives too few", () => ({ body: { data: [] } }), /60 vectors were asked for/],
    [
      "gives no numbers",
      ({ input }: Asked) => ({ body: { data: input.map(() => ({ embedding: ["a"] })) } }),
      /embedding 0 is no list/,
    ],
    [
      "numbers them twice",
      ({ input }: Asked) => ({ body: { data: input.map(() => ({ index: 0, embedding: [1] })) } }),
      /numbered otherwise/,
    ],
  ])("that %s is told in a sentence", async (_, answer, words) => {
    answers = [answer];
    const request = { embed: "small", embedUrl: url(), embedCache: cache };
    await expect(embedTexts(await tableOf(), request)).rejects.toThrow(words);
    expect(asked).toHaveLength(1);
  });

  test("that leads elsewhere gets no further: neither texts nor key are sent there", async () => {
    answers = [() => ({ status: 307, headers: { location: `${url()}/other` }, body: "" })];
    const request = { embed: "small", embedUrl: url(), embedCache: cache };
    await expect(embedTexts(await tableOf(), request)).rejects.toThrow(/answers 307/);
    expect(asked).toHaveLength(1);
  });
});

test("a model places new texts by their vectors, and says when these are absent", async () => {
  const open = (): Promise<Embedder> => Promise.resolve(standIn);
  const embedded = (text: string) =>
    tableOf(text).then((table) => embedTexts(table, { embed: folder, embedCache: cache, open }));
  const found = await cluster(await embedded(csv), { clusters: 2 });
  const model = loadModel(JSON.parse(JSON.stringify(found)));
  const others = ["hen zzzz", "fig zzzz", "cow qqqq", "ale qqqq"];
  const { labels } = model.assign(await embedded(`title\n${others.join("\n")}\n`));
  expect(Array.from(labels)).toEqual([0, 1, 0, 1].map((topic) => found.labels[topic]));
  const plain = await tableOf("title\ncat zzzz\n");
  expect(() => model.assign(plain)).toThrow(/title \(meaning\)/);
});

test("without the option nothing is sent", async () => {
  const closed = vi.fn<() => never>(() => {
    throw new Error("the network is closed");
  });
  vi.stubGlobal("fetch", closed);
  vi.stubEnv("KINDRED_EMBED_KEY", "secret");
  await cluster(await tableOf(), { clusters: 2 });
  const file = join(folder, "vectors.csv");
  writeFileSync(file, `a,b,c,d,e\n${titles.map((title) => vectorOf(title).join()).join("\n")}\n`);
  await cluster(await embedTexts(await tableOf(), { embed: file }), { clusters: 2 });
  const open = (): Promise<Embedder> => Promise.resolve(standIn);
  await embedTexts(await tableOf(), { embed: folder, embedCache: cache, open });
  expect(closed).not.toHaveBeenCalled();
  await expect(
    embedTexts(await tableOf(), { embed: "small", embedUrl: "http://127.0.0.1:9/", embedCache: cache }),
  ).rejects.toThrow(/cannot be reached/);
  expect(closed).toHaveBeenCalled();
}, 60_000);

const standIn: Embedder = {
  name: "stand-in",
  key: "stand-in",
  batch: 16,
  embed: (texts) => Promise.resolve(texts.map(vectorOf)),
};

describe("a file of vectors", () => {
  test.each([
    ["csv", `a,b,c,d,e\n${titles.map((title) => vectorOf(title).join()).join("\n")}\n`],
    ["json", JSON.stringify(titles.map((title) => ({ vector: vectorOf(title) })))],
  ])("has one for each row: %s", async (kind, text) => {
    const file = join(folder, `given.${kind}`);
    writeFileSync(file, text);
    const found = await cluster(await embedTexts(await tableOf(), { embed: file }), { clusters: 2 });
    expect(adjustedRand(found.labels, topics)).toBe(1);
    // The words of the texts still describe the clusters.
    expect(found.profiles[0].differences.some(({ column }) => column === "title")).toBe(true);
  });

  test("with another number of rows is refused", async () => {
    const file = join(folder, "short.csv");
    writeFileSync(file, "a,b\n1,2\n3,4\n");
    await expect(embedTexts(await tableOf(), { embed: file })).rejects.toThrow(
      /has 2 vectors, and the data has 60 rows/,
    );
  });
});

test("what cannot be embedded is told before anything is read or sent", async () => {
  const table = await tableOf();
  await expect(embedTexts(table, { embed: join(folder, "nowhere") })).rejects.toThrow(
    /models are not downloaded/,
  );
  await expect(embedTexts(table, { embedUrl: url() })).rejects.toThrow(
    /give option "embed" the name of the model/,
  );
  await expect(embedTexts(table, { embed: "m", embedUrl: "ftp://x" })).rejects.toThrow(/must be an address/);
  await expect(embedTexts(table, { embed: "m", embedUrl: url(), embedColumn: "text" })).rejects.toThrow(
    /text/,
  );
  const two = await readColumns(new TextEncoder().encode(`a,b\n1,2\n3,5\n`));
  await expect(embedTexts(two, { embed: "m", embedUrl: url() })).rejects.toThrow(/no column of texts/);
  await expect(run({ rows: table, embedUrl: url() })).rejects.toThrow(/is for option "embed"/);
  expect(asked).toHaveLength(0);
});

describe("a model on disk", () => {
  test("is loaded from its folder only, and its vectors are kept", async () => {
    const model = tinyModel("stand-in");
    const env = { allowRemoteModels: true, localModelPath: "" };
    const calls: unknown[] = [];
    const transformers = {
      env,
      pipeline(task: string, name: string) {
        calls.push([task, name, env.allowRemoteModels, env.localModelPath]);
        return Promise.resolve((texts: readonly string[]) => {
          const rows = texts.map(vectorOf);
          return Promise.resolve({ dims: [rows.length, 5], data: Float32Array.from(rows.flat()) });
        });
      },
    };
    const open = (path: string) => localModel(path, () => Promise.resolve(transformers));
    const options = { embed: model, embedCache: cache, open };
    const found = await cluster(await embedTexts(await tableOf(), options), { clusters: 2 });
    expect(adjustedRand(found.labels, topics)).toBe(1);
    expect(calls).toEqual([["feature-extraction", "stand-in", false, `${folder}/`]]);
    await embedTexts(await tableOf(), options);
    expect(calls).toHaveLength(1);
  });

  test("needs a model, and its package", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    await expect(embedTexts(await tableOf(), { embed: empty })).rejects.toThrow(
      /holds no model: .*model\.onnx/,
    );
  });

  // KINDRED_TRANSFORMERS is a folder with node_modules/@huggingface/transformers.
  const installed = process.env.KINDRED_TRANSFORMERS;
  test.skipIf(installed === undefined)(
    "runs by @huggingface/transformers itself",
    { timeout: 120_000 },
    async () => {
      const main = join(installed!, "node_modules/@huggingface/transformers/dist/transformers.node.mjs");
      expect(existsSync(main)).toBe(true);
      const load = () => import(/* @vite-ignore */ pathToFileURL(main).href);
      vi.stubGlobal("fetch", () => {
        throw new Error("the network is closed");
      });
      const open = (path: string) => localModel(path, load);
      const model = tinyModel("real");
      const options = { embed: model, embedCache: cache, open };
      const table = await embedTexts(await tableOf(), options);
      const { data, cols } = table.columns.at(-1)!.vectors!;
      expect(cols).toBe(2);
      titles.forEach((_, i) => {
        // Half of the tokens are unknown, which is in the direction (1, 1).
        const sum = topics[i] === 0 ? [2, 1] : [1, 2];
        expect(data[2 * i]).toBeCloseTo(sum[0] / Math.sqrt(5), 5);
        expect(data[2 * i + 1]).toBeCloseTo(sum[1] / Math.sqrt(5), 5);
      });
      const again = await embedTexts(await tableOf(), { ...options, open: (path) => localModel(path, load) });
      expect(again.notes.at(-1)!.message).toMatch(/60 of 60 texts known/);
    },
  );
});

/** A model whose last hidden state is one vector for each token: the rows of a table, and (1, 1) for other words. */
function tinyModel(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, "onnx"), { recursive: true });
  const words = ["[PAD]", "[UNK]", ...TOPICS.flat()];
  const vocab = Object.fromEntries(words.map((word, w) => [word, w]));
  const json = (file: string, value: object) => writeFileSync(join(path, file), JSON.stringify(value));
  json("config.json", { model_type: "bert", architectures: ["BertModel"], hidden_size: 2 });
  json("tokenizer_config.json", {
    tokenizer_class: "BertTokenizer",
    pad_token: "[PAD]",
    unk_token: "[UNK]",
    model_max_length: 32,
  });
  json("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: ["[PAD]", "[UNK]"].map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: null,
    model: { type: "WordLevel", vocab, unk_token: "[UNK]" },
  });
  const rows = words.flatMap((word, w) =>
    w === 0 ? [0, 0] : w === 1 ? [1, 1] : TOPICS[0].includes(word) ? [1, 0] : [0, 1],
  );
  writeFileSync(join(path, "onnx", "model.onnx"), gatherModel(rows, words.length, 2));
  return path;
}

/** An ONNX file with one node, Gather(table, input_ids), in the wire format of protocol buffers. */
function gatherModel(values: readonly number[], rows: number, cols: number): Buffer {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
  const whole = (field: number, value: number): Buffer =>
    Buffer.from([...varint(8 * field), ...varint(value)]);
  const bytes = (field: number, value: Buffer | string): Buffer => {
    const body = Buffer.from(value as string);
    return Buffer.concat([Buffer.from([...varint(8 * field + 2), ...varint(body.length)]), body]);
  };
  const all = (...parts: Buffer[]): Buffer => Buffer.concat(parts);
  const dimension = (name: string | number): Buffer =>
    bytes(1, typeof name === "number" ? whole(1, name) : bytes(2, name));
  const value = (name: string, type: number, dimensions: readonly (string | number)[]): Buffer =>
    all(bytes(1, name), bytes(2, bytes(1, all(whole(1, type), bytes(2, all(...dimensions.map(dimension)))))));
  const [float, int64] = [1, 7];
  const table = all(
    whole(1, rows),
    whole(1, cols),
    whole(2, float),
    bytes(8, "table"),
    bytes(9, Buffer.from(Float32Array.from(values).buffer)),
  );
  const graph = all(
    bytes(
      1,
      all(bytes(1, "table"), bytes(1, "input_ids"), bytes(2, "last_hidden_state"), bytes(4, "Gather")),
    ),
    bytes(2, "tiny"),
    bytes(5, table),
    ...["input_ids", "attention_mask"].map((name) => bytes(11, value(name, int64, ["batch", "length"]))),
    bytes(12, value("last_hidden_state", float, ["batch", "length", cols])),
  );
  return all(whole(1, 8), bytes(7, graph), bytes(8, whole(2, 13)));
}
