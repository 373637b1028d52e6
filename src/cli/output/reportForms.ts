/**
 * What every command prints with --json, published as `kindred/report.schema.json` (scripts/model-schema.mjs writes it) and
 * tested: the outputs of all commands have these forms. A change that a program could notice counts REPORT_VERSION up.
 */
import {
  asStored,
  boolean,
  choice,
  free,
  list,
  nullable,
  number,
  numbers,
  optional,
  record,
  table,
  text,
  unchecked,
  whole,
  wholes,
  type Form,
  type RecordForm,
} from "../../core/internal.ts";
import { trustForm } from "../../method/internal.ts";
import { noteForm, profileForm, proofForm, representativesForm } from "../../model/internal.ts";
import { classScoresForm, commandedForm } from "../../run/internal.ts";
import { scores } from "../../score/internal.ts";
import { REPORT_VERSION } from "./outputs.ts";

const count = whole({ min: 0 });
const seconds = number({ min: 0 });
const texts = list(text());
const notes = list(noteForm);
const counts = asStored(wholes(undefined, { min: 0 }));
/** One per row, -1 for a row in no cluster. */
const labels = asStored(wholes(undefined, { min: -1 }));
const reals = asStored(numbers());
const label = textOrNumber();

/** The rows that a method saw. */
const data = { source: text(), rows: count, features: optional(count), notes };

const clusterForm = record({
  method: text(),
  clusters: count,
  /** Absent for rows that were not in memory. */
  labels: optional(labels),
  sizes: counts,
  names: texts,
  scores: nullable(classScoresForm),
  ...proofForm.fields,
  trust: nullable(trustForm),
  relevance: list(record({ column: text(), share: number() })),
  profiles: list(profileForm),
  representatives: list(representativesForm),
  details: free<object>(),
  notes,
  seconds,
  readSeconds: seconds,
  seed: nullable(whole()),
  scaling: text(),
  data: record({
    source: text(),
    rows: count,
    features: count,
    label: nullable(text()),
    columns: list(
      record({ name: text(), kind: text(), became: text(), weight: number({ min: 0 }), why: text() }),
    ),
  }),
  engine: text(),
  threads: nullable(count),
});

/** With --test or --use there are predictions of other rows; without them the rows are cross-validated. */
const classifyForm = record({
  method: text(),
  classes: list(label),
  train: optional(number()),
  accuracy: optional(nullable(number())),
  standardError: optional(number()),
  deviation: optional(number()),
  accuracies: optional(reals),
  largestClass: optional(number()),
  knownClasses: optional(texts),
  /** Known classes in rows, predicted ones in columns. */
  confusion: optional(list(counts)),
  predictions: optional(list(nullable(label))),
  probabilities: optional(nullable(reals)),
  filled: optional(record({ rows: counts, labels: list(label), probabilities: optional(reals) })),
  importance: optional(table(number())),
  converged: optional(nullable(boolean())),
  warnings: texts,
  data: record(data),
  scaling: text(),
  engine: optional(text()),
  seconds,
});

const segmentFields = {
  method: text(),
  clusters: count,
  labels,
  sizes: counts,
  cuts: counts,
  objective: number(),
  segments: list(record({ segment: count, first: text(), last: text(), rows: count })),
};

/** With --series one answer for each of them. */
const segmentForm = record({
  ...(Object.fromEntries(
    Object.entries(segmentFields).map(([name, form]) => [name, optional(form as Form<unknown>)]),
  ) as Readonly<Record<string, Form<unknown>>>),
  method: text(),
  series: optional(list(record({ series: text(), ...segmentFields, delta: optional(number()) }))),
  delta: optional(number()),
});

/** The answer of each command, beside its `report`. */
export const reportForms: Readonly<Record<string, RecordForm<object>>> = {
  cluster: clusterForm,
  columns: record({
    source: text(),
    rows: count,
    columns: list(
      record({
        name: text(),
        kind: text(),
        why: text(),
        missing: count,
        reading: free<object>(),
        becomes: text(),
        weight: number({ min: 0 }),
        used: text(),
      }),
    ),
    notes,
  }),
  embed: record({
    method: text(),
    dims: count,
    embedding: list(reals),
    converged: boolean(),
    iterations: optional(nullable(count)),
    details: table(text()),
    notes,
    warnings: texts,
  }),
  compare: commandedForm(),
  path: record({
    source: text(),
    scaling: text(),
    norm: choice("1", "2", "inf"),
    graph: record({ nodes: count, edges: count, components: count }),
    gammas: reals,
    clusters: counts,
    relativeGaps: reals,
    objectives: reals,
    partitions: list(labels),
    /** A merge table: the two clusters (rows first), gamma and size. */
    fusions: list(reals),
    splits: count,
    gaps: list(free<object>()),
    availableCounts: counts,
    converged: boolean(),
    edges: optional(list(reals)),
    columns: optional(texts),
    centers: optional(list(list(reals))),
    duals: optional(list(list(reals))),
    notes,
    warnings: texts,
  }),
  metric: record({
    method: text(),
    rank: optional(count),
    condition: optional(nullable(number())),
    relevance: table(number()),
    learners: optional(count),
    pairError: optional(number()),
    converged: optional(boolean()),
    iterations: optional(count),
    objective: optional(nullable(number())),
    certificate: optional(free<object>()),
    threshold: optional(nullable(number())),
    warnings: texts,
    notes,
    seconds,
    engine: text(),
  }),
  methods: record({
    methods: list(
      record({
        command: text(),
        name: text(),
        title: text(),
        sentence: text(),
        needs: unchecked<unknown>(),
        options: list(free<object>()),
      }),
    ),
  }),
  metrics: record({
    metrics: list(record({ name: text(), title: text(), needs: text(), sentence: text(), when: text() })),
  }),
  select: record({
    method: text(),
    features: list(free<object>()),
    data: record(data),
    warnings: texts,
    engine: optional(text()),
    seconds,
  }),
  classify: classifyForm,
  segment: segmentForm,
  score: record({
    predicted: text(),
    truth: text(),
    rows: count,
    omitted: count,
    clusters: count,
    classes: count,
    ...Object.fromEntries(Object.keys(scores).map((name) => [name, nullable(number())])),
  }),
  data: record({
    datasets: list(
      record({
        name: text(),
        rows: count,
        features: count,
        classes: count,
        from: text(),
        description: text(),
      }),
    ),
  }),
  doctor: record({
    version: text(),
    node: text(),
    platform: text(),
    cores: count,
    memory: number(),
    engine: text(),
    threads: count,
    engines: list(free<object>()),
    packages: table(nullable(text())),
    optional: list(free<object>()),
  }),
};

/** What is printed instead if a command fails. */
export const errorForm = record({
  error: record({
    kind: choice("option", "input", "file", "numeric", "limit", "fault"),
    code: text(),
    message: text(),
    option: optional(text()),
    column: optional(text()),
    row: optional(whole()),
    file: optional(text()),
  }),
});

/** The answer of a command with its `report`. */
export function reportForm(command: string): RecordForm<object> {
  const report = record({ command: choice(command), version: choice(REPORT_VERSION) });
  return record({ report, ...reportForms[command].fields });
}

/** A class, as it is written in the table. */
function textOrNumber(): Form<string | number> {
  const one = text();
  const other = number();
  return {
    schema: { oneOf: [one.schema, other.schema] },
    load: (value, at) => (typeof value === "number" ? other : one).load(value, at),
    save: (value) => value,
  };
}
