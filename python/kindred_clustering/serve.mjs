// Answers the requests of one Python process, one after the other, over standard input and output, with the public library.
//
// A message is a length (4 bytes, little endian), so many bytes of JSON, and the bytes of the arrays that the JSON lists in
// `arrays`: [name, type, shape] each, in their order. Arrays are read straight into their own memory.
import { readSync, writeSync } from "node:fs";
import { askQuestions } from "kindred/hints";
import { asTable, cluster, explain, KindredError, loadModel, readHints } from "kindred";
import { loadGaussianMixture } from "kindred/cluster";
import { samplePairs } from "kindred/data";
import { codesBy } from "kindred/features";
import { asMatrix, isSparse, toDense } from "kindred/matrix";
import { metrics } from "kindred/method";
import { placingIn } from "kindred/model";
import { clusterCards } from "kindred/report";
import { methodNamed, methods, prepare } from "kindred/run";

const TYPES = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  u4: Uint32Array,
  i2: Int16Array,
  u2: Uint16Array,
  i1: Int8Array,
  u1: Uint8Array,
};
const NAMES = new Map(Object.entries(TYPES).map(([name, type]) => [type, name]));

/** Models that were used last; a further one is sent again. */
const MOST_MODELS = 32;
const models = new Map();
/** Rounds of questions that are open. */
const rounds = new Map();
let lastRound = 0;

const ANSWERS = {
  about: () => ({ methods: methods.map(({ name, sentence, needs }) => ({ name, sentence, needs })) }),

  async cluster({ rows, options }, arrays) {
    const { as, ...asked } = options;
    const table = tableOf(rows, arrays, as);
    const { labels: classes, ...rest } = await known(asked, table);
    const { needs } = methodNamed(options.method ?? "auto");
    const heard = needs.labels !== undefined || (options.method ?? "auto") === "auto";
    const began = performance.now();
    const found = await cluster(table, { ...rest, ...(heard && classes && { labels: classes }) });
    const seconds = (performance.now() - began) / 1000;
    const proba = probabilities(found, table);
    const unheard =
      classes !== undefined && !heard ? [`${options.method} does not learn from labels: y was not used`] : [];
    return {
      seconds,
      unheard,
      model: JSON.stringify({ ...found.toJSON(), labels: [] }),
      arrays: { labels: found.labels, ...(proba && { proba }) },
    };
  },

  assign({ model, text, rows }, arrays) {
    const { labels, distances, next, nextDistances, notes } = modelOf(model, text).assign(
      tableOf(rows, arrays),
    );
    return { notes, arrays: { labels, distances, next, nextDistances } };
  },

  proba({ model, text, rows }, arrays) {
    return { arrays: { proba: probabilities(modelOf(model, text), tableOf(rows, arrays)) } };
  },

  explain: ({ model, text }) => ({ text: explain(modelOf(model, text)) }),

  cards: ({ model, text }) => ({ html: clusterCards(modelOf(model, text)) }),

  async ask({ rows, options }, arrays) {
    const { as, ...asked } = options;
    const table = tableOf(rows, arrays, as);
    const { hints, clusters, seed = 0, budget, ...columns } = await known(asked, table);
    const prepared = prepare(table, { ...columns, method: "hints", seed }, true);
    const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
    const questions = askQuestions(X, { clusters, budget, seed, hints, scale: "none" });
    rounds.set(++lastRound, { questions, rows: prepared.rows });
    return { round: lastRound, ...questionOf(lastRound, questions.next("skip")) };
  },

  reply({ round, reply }) {
    const open = rounds.get(round);
    if (open === undefined) throw new KindredError("option", "this round of questions has ended; ask again");
    return questionOf(round, open.questions.next(reply));
  },

  end: ({ round }) => ({ ended: rounds.delete(round) }),

  /** A metric from rows and what is known of them; without pairs they are drawn from the labels. */
  async metric({ name, rows, side, draw, seed, options }, arrays) {
    const { learn } = await metrics.find((known) => known.name === name).open();
    const pairs =
      side.pairs ?? (draw && samplePairs(side.labels, { ...pairCounts(side.labels, draw), seed }));
    const { factor, ...about } = learn(asMatrix(rowsOf(rows, arrays), name), { ...side, pairs }, options);
    const { threshold = null, iterations, warnings, converged } = about;
    return {
      threshold,
      iterations,
      warnings,
      converged,
      arrays: { factor: shaped(factor.data, [factor.rows, factor.cols]) },
    };
  },
};

/** At most `most` pairs of each kind. */
function pairCounts(labels, most) {
  const sizes = new Map();
  for (const label of labels) if (label !== "") sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const known = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const within = [...sizes.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const between = (known * (known - 1)) / 2 - within;
  return { mustLink: Math.min(most, within), cannotLink: Math.min(most, between) };
}

async function answer(call, message, arrays) {
  return ANSWERS[call](message, arrays);
}

/** The next question, or that none is left. */
function questionOf(round, { value, done }) {
  const row = (i) => rounds.get(round).rows?.[i] ?? i;
  if (!done) return { question: { ...value, a: row(value.a), b: row(value.b), trust: value.trust ?? null } };
  rounds.delete(round);
  return { question: null };
}

/** Hints may be a text, whose rows are named as the table names them. */
async function known({ hintText, id, ...options }, table) {
  const named = id === undefined ? {} : { id };
  if (hintText === undefined) return { ...options, ...named };
  return { ...options, ...named, hints: await readHints(new TextEncoder().encode(hintText), table, named) };
}

function modelOf(key, text) {
  let model = models.get(key);
  if (model === undefined && text === undefined)
    throw new KindredError("option", "unknown model", { code: "send-model" });
  model ??= loadModel(JSON.parse(text));
  models.delete(key);
  models.set(key, model);
  if (models.size > MOST_MODELS) models.delete(models.keys().next().value);
  return model;
}

/** Rows as Python sent them: a matrix, or columns by name. */
function rowsOf({ shape, strides, columns }, arrays) {
  if (columns === undefined) return { data: arrays.X, shape, ...(strides && { strides }) };
  return Object.fromEntries(columns.map((column, f) => [column.name, valuesOf(column, arrays[`c${f}`])]));
}

/** The kinds that the types of the columns say, and those that were asked for. */
function tableOf(rows, arrays, as = {}) {
  return asTable(rowsOf(rows, arrays), { as: { ...rows.as, ...as } });
}

function valuesOf({ type, texts, width }, data) {
  switch (type) {
    case "text":
      return Array.from(data, (code) => (code < 0 ? null : texts[code]));
    case "bool":
      return Array.from(data, (value) => (value > 1 ? null : value === 1));
    case "date":
      return Array.from(data, (time) => (Number.isNaN(time) ? null : new Date(time)));
    case "vector":
      return Array.from({ length: data.length / width }, (_, i) => data.subarray(i * width, (i + 1) * width));
    default:
      return data;
  }
}

/** The probability of each cluster for each row, where the model is a mixture: rows x clusters. */
function probabilities({ columns, space, placing, clusters }, table) {
  if (placing.kind !== "mixture" && placing.kind !== "mixed") return undefined;
  const { X, rows } = placingIn({ columns, space })(table);
  const own =
    placing.kind === "mixture"
      ? loadGaussianMixture(placing.mixture).responsibilities(X).data
      : softmaxOf(placing, X, clusters);
  if (rows === undefined) return shaped(own, [table.rows, clusters]);
  const all = new Float64Array(table.rows * clusters);
  rows.forEach((row, i) => all.set(own.subarray(i * clusters, (i + 1) * clusters), row * clusters));
  return shaped(all, [table.rows, clusters]);
}

/** The scores of a mixture of numbers and levels are logarithms of probabilities, up to a constant. */
function softmaxOf({ bias, features, weights, levels }, X, K) {
  const codes = levels.map(({ rule }) => codesBy(rule, X));
  const P = new Float64Array(X.rows * K);
  for (let i = 0; i < X.rows; i++) {
    const scores = P.subarray(i * K, (i + 1) * K);
    scores.set(bias);
    features.forEach((f, j) => {
      for (let k = 0; k < K; k++) scores[k] += X.data[i * X.cols + f] * weights.data[j * K + k];
    });
    levels.forEach(({ logs }, v) => {
      const code = codes[v][i];
      if (code >= 0) for (let k = 0; k < K; k++) scores[k] += logs.data[k * logs.cols + code];
    });
    const most = Math.max(...scores);
    let sum = 0;
    for (let k = 0; k < K; k++) sum += scores[k] = Math.exp(scores[k] - most);
    for (let k = 0; k < K; k++) scores[k] /= sum;
  }
  return P;
}

/** The options of the library that have another name in Python. */
const SPELLED = {
  clusters: "n_clusters",
  seed: "random_state",
  mustLink: "must_link",
  cannotLink: "cannot_link",
  labels: "y",
};
const spelled = (option) => SPELLED[option] ?? `options["${option}"]`;

function failure(error) {
  if (!(error instanceof KindredError)) return { error: { text: String(error.stack), kind: "internal" } };
  const { kind, code, option, column, row } = error;
  return { error: { text: error.told(spelled), kind, code, option, column, row } };
}

const shaped = (data, shape) => Object.assign(data, { shape });

/** Fills the memory from standard input; false at its end. */
function fill(bytes) {
  for (let at = 0; at < bytes.length;) {
    const count = whenReady(() => readSync(0, bytes, at, bytes.length - at, null));
    if (count === 0) return false;
    at += count;
  }
  return true;
}

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** A pipe may refuse to wait: then it is tried again after a millisecond. */
function whenReady(transfer) {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(asleep, 0, 0, 1);
    }
  }
}

function receive() {
  const length = new Uint8Array(4);
  if (!fill(length)) return undefined;
  const text = new Uint8Array(new DataView(length.buffer).getUint32(0, true));
  fill(text);
  const message = JSON.parse(new TextDecoder().decode(text));
  const arrays = {};
  for (const [name, type, shape] of message.arrays) {
    const data = new TYPES[type](shape.reduce((product, size) => product * size, 1));
    fill(new Uint8Array(data.buffer));
    arrays[name] = data;
  }
  return { message, arrays };
}

function send({ arrays = {}, ...answer }) {
  const listed = Object.entries(arrays).map(([name, data]) => [
    name,
    NAMES.get(data.constructor),
    data.shape ?? [data.length],
  ]);
  const text = new TextEncoder().encode(JSON.stringify({ ...answer, arrays: listed }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length, true);
  for (const part of [length, text, ...Object.values(arrays)]) {
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    for (let at = 0; at < bytes.length;) at += whenReady(() => writeSync(1, bytes, at));
  }
}

for (let got = receive(); got !== undefined; got = receive()) {
  const { call, ...message } = got.message;
  send(await answer(call, message, got.arrays).catch(failure));
}
