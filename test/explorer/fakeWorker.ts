import type { FromWorker, QuestionKind, Solution, TableData, ToWorker } from "../../explorer/protocol.ts";

/** A worker whose start, answers and failures come when a test says so. */
export class FakeWorker extends EventTarget {
  static all: FakeWorker[] = [];
  /** Set: what `new Worker` throws, or what posting a question throws. */
  static refuses: Error | undefined;
  static cannotPost: Error | undefined;
  readonly posted: ToWorker[] = [];
  readonly replied: Set<number> = new Set();
  greeted = false;
  ended = false;

  constructor(address: URL | string) {
    super();
    // The worker that looks through the rows is another one, and asked about nothing here.
    if (String(address).includes("browser")) return;
    if (FakeWorker.refuses !== undefined) throw FakeWorker.refuses;
    FakeWorker.all.push(this);
  }

  static get newest(): FakeWorker {
    return FakeWorker.all.at(-1)!;
  }

  postMessage(message: ToWorker): void {
    if (FakeWorker.cannotPost !== undefined) throw FakeWorker.cannotPost;
    this.posted.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  hello(): void {
    this.greeted = true;
    const needs = { clusters: "required", pairs: "optional", seed: true } as const;
    const method = { title: "k-means", group: "", sentence: "", needs };
    this.say({
      type: "hello",
      methods: [
        { ...method, name: "kmeans" },
        { ...method, name: "auto" },
      ],
    });
  }

  /** The last question of a kind that was put to this worker. */
  asked(kind: QuestionKind): ToWorker | undefined {
    return this.posted.findLast((message) => message.kind === kind);
  }

  answer(kind: QuestionKind, answer: unknown): void {
    this.say({ type: "answer", id: this.asked(kind)!.id, answer });
  }

  /** The answer that a question asks for. */
  reply(question: ToWorker | undefined): void {
    if (question === undefined || this.replied.has(question.id)) return;
    const { id, kind, asked } = question;
    this.replied.add(id);
    const steps = [{ gamma: 1, clusters: 1, labels: new Int32Array(9), xy: new Float32Array(18) }];
    const answers: Record<QuestionKind, unknown> = {
      options: [],
      open: tableOf(9),
      look: { view: { xy: new Float32Array(18), axes: ["", ""] }, columns: [], notes: [] },
      solve: solutionOf((asked as { clusters?: number }).clusters ?? 1),
      path: { steps, axes: ["", ""], warnings: [] },
      layout: { xy: new Float32Array(18), axes: ["", ""], notes: [] },
      judge: undefined,
      report: "",
      copy: new Blob(),
      fingerprint: "",
      contrast: [],
      place: { labels: new Int32Array(9), sizes: [9], names: [""], notes: [] },
      compare: { partitions: [], failed: [], words: "" },
      summary: [],
      browse: { rows: new Int32Array(0) },
    };
    this.say({ type: "answer", id, answer: answers[kind] });
  }

  say(data: FromWorker): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  /** An error event; one without words is how a browser tells that the script could not be loaded. */
  breakOff(message?: string): void {
    this.dispatchEvent(Object.assign(new Event("error", { cancelable: true }), { message }));
  }
}

let tables = 1000;

export function tableOf(rows: number, source = "t.csv"): TableData {
  const column = { name: "a", kind: "number", why: "", reading: {}, missing: 0 } as const;
  return {
    key: ++tables,
    source,
    rows,
    columns: [{ ...column, values: new Float64Array(rows) }],
    notes: [],
    origin: { name: source, kind: "file", as: {} },
  };
}

export function solutionOf(clusters: number): Solution {
  return {
    method: "kmeans",
    labels: new Int32Array(clusters),
    sizes: Array.from({ length: clusters }, () => 1),
    names: Array.from({ length: clusters }, (_, k) => `n${k}`),
    converged: true,
    warnings: [],
    facts: [],
    seconds: 0,
    columns: [],
    features: [],
    numbers: { values: new Float32Array(0), dimensions: 0, sources: [] },
    space: { values: new Float32Array(0), dimensions: 0 },
    plain: { xy: new Float32Array(0), axes: ["", ""] },
    profiles: [],
    representatives: [],
    command: "",
    code: "",
    model: new Blob([]),
  };
}
