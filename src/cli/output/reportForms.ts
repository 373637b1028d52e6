/**
 * What every command prints with --json, published as `kindred/report.schema.json` (scripts/model-schema.mjs writes it) and
 * tested: the outputs of all commands have these forms. A change that a program could notice counts REPORT_VERSION up.
 */
import { form } from "../../core/internal.ts";
import { trustForm } from "../../method/internal.ts";
import { noteForm, profileForm, proofForm, representativesForm } from "../../model/internal.ts";
import { classScoresForm, commandedForm } from "../../run/internal.ts";
import { scores } from "../../score/internal.ts";
import { REPORT_VERSION } from "./outputs.ts";

const count = form.whole({ min: 0 });
const seconds = form.number({ min: 0 });
const texts = form.list(form.text());
const notes = form.list(noteForm);
const counts = form.asStored(form.wholes(undefined, { min: 0 }));
/** One per row, -1 for a row in no cluster. */
const labels = form.asStored(form.wholes(undefined, { min: -1 }));
const reals = form.asStored(form.numbers());
const label = textOrNumber();

/** The rows that a method saw. */
const data = { source: form.text(), rows: count, features: form.optional(count), notes };

const clusterForm = form.record({
  method: form.text(),
  clusters: count,
  /** Absent for rows that were not in memory. */
  labels: form.optional(labels),
  sizes: counts,
  names: texts,
  scores: form.nullable(classScoresForm),
  ...proofForm.fields,
  trust: form.nullable(trustForm),
  relevance: form.list(form.record({ column: form.text(), share: form.number() })),
  profiles: form.list(profileForm),
  representatives: form.list(representativesForm),
  details: form.free<object>(),
  notes,
  seconds,
  readSeconds: seconds,
  seed: form.nullable(form.whole()),
  scaling: form.text(),
  data: form.record({
    source: form.text(),
    rows: count,
    features: count,
    label: form.nullable(form.text()),
    columns: form.list(
      form.record({
        name: form.text(),
        kind: form.text(),
        became: form.text(),
        weight: form.number({ min: 0 }),
        why: form.text(),
      }),
    ),
  }),
  engine: form.text(),
  threads: form.nullable(count),
});

/** With --test or --use there are predictions of other rows; without them the rows are cross-validated. */
const classifyForm = form.record({
  method: form.text(),
  classes: form.list(label),
  train: form.optional(form.number()),
  accuracy: form.optional(form.nullable(form.number())),
  standardError: form.optional(form.number()),
  deviation: form.optional(form.number()),
  accuracies: form.optional(reals),
  largestClass: form.optional(form.number()),
  knownClasses: form.optional(texts),
  /** Known classes in rows, predicted ones in columns. */
  confusion: form.optional(form.list(counts)),
  predictions: form.optional(form.list(form.nullable(label))),
  probabilities: form.optional(form.nullable(reals)),
  filled: form.optional(
    form.record({ rows: counts, labels: form.list(label), probabilities: form.optional(reals) }),
  ),
  importance: form.optional(form.table(form.number())),
  converged: form.optional(form.nullable(form.boolean())),
  warnings: texts,
  data: form.record(data),
  scaling: form.text(),
  engine: form.optional(form.text()),
  seconds,
});

const segmentFields = {
  method: form.text(),
  clusters: count,
  labels,
  sizes: counts,
  cuts: counts,
  objective: form.number(),
  segments: form.list(form.record({ segment: count, first: form.text(), last: form.text(), rows: count })),
};

/** With --series one answer for each of them. */
const segmentForm = form.record({
  ...(Object.fromEntries(
    Object.entries(segmentFields).map(([name, one]) => [name, form.optional(one as form.Form<unknown>)]),
  ) as Readonly<Record<string, form.Form<unknown>>>),
  method: form.text(),
  series: form.optional(
    form.list(form.record({ series: form.text(), ...segmentFields, delta: form.optional(form.number()) })),
  ),
  delta: form.optional(form.number()),
});

/** The answer of each command, beside its `report`. */
export const reportForms: Readonly<Record<string, form.RecordForm<object>>> = {
  cluster: clusterForm,
  columns: form.record({
    source: form.text(),
    rows: count,
    columns: form.list(
      form.record({
        name: form.text(),
        kind: form.text(),
        why: form.text(),
        missing: count,
        reading: form.free<object>(),
        becomes: form.text(),
        weight: form.number({ min: 0 }),
        used: form.text(),
      }),
    ),
    notes,
  }),
  embed: form.record({
    method: form.text(),
    dims: count,
    embedding: form.list(reals),
    converged: form.boolean(),
    iterations: form.optional(form.nullable(count)),
    details: form.table(form.text()),
    notes,
    warnings: texts,
  }),
  compare: commandedForm(),
  path: form.record({
    source: form.text(),
    scaling: form.text(),
    norm: form.choice("1", "2", "inf"),
    graph: form.record({ nodes: count, edges: count, components: count }),
    gammas: reals,
    clusters: counts,
    relativeGaps: reals,
    objectives: reals,
    partitions: form.list(labels),
    /** A merge table: the two clusters (rows first), gamma and size. */
    fusions: form.list(reals),
    splits: count,
    gaps: form.list(form.free<object>()),
    availableCounts: counts,
    converged: form.boolean(),
    edges: form.optional(form.list(reals)),
    columns: form.optional(texts),
    centers: form.optional(form.list(form.list(reals))),
    duals: form.optional(form.list(form.list(reals))),
    notes,
    warnings: texts,
  }),
  metric: form.record({
    method: form.text(),
    rank: form.optional(count),
    condition: form.optional(form.nullable(form.number())),
    relevance: form.table(form.number()),
    learners: form.optional(count),
    pairError: form.optional(form.number()),
    converged: form.optional(form.boolean()),
    iterations: form.optional(count),
    objective: form.optional(form.nullable(form.number())),
    certificate: form.optional(form.free<object>()),
    threshold: form.optional(form.nullable(form.number())),
    warnings: texts,
    notes,
    seconds,
    engine: form.text(),
  }),
  methods: form.record({
    methods: form.list(
      form.record({
        command: form.text(),
        name: form.text(),
        title: form.text(),
        sentence: form.text(),
        needs: form.unchecked<unknown>(),
        options: form.list(form.free<object>()),
      }),
    ),
  }),
  metrics: form.record({
    metrics: form.list(
      form.record({
        name: form.text(),
        title: form.text(),
        needs: form.text(),
        sentence: form.text(),
        when: form.text(),
      }),
    ),
  }),
  select: form.record({
    method: form.text(),
    features: form.list(form.free<object>()),
    data: form.record(data),
    warnings: texts,
    engine: form.optional(form.text()),
    seconds,
  }),
  classify: classifyForm,
  segment: segmentForm,
  score: form.record({
    predicted: form.text(),
    // With known classes.
    truth: form.optional(form.text()),
    rows: form.optional(count),
    omitted: form.optional(count),
    clusters: form.optional(count),
    classes: form.optional(count),
    ...Object.fromEntries(Object.keys(scores).map((name) => [name, form.optional(form.number())])),
    intervals: form.optional(form.free<Readonly<Record<string, readonly [number, number]>>>()),
    // With the table that was clustered: a number each, null if it is infinite.
    data: form.optional(form.free<Readonly<Record<string, number | null>>>()),
  }),
  data: form.record({
    datasets: form.list(
      form.record({
        name: form.text(),
        rows: count,
        features: count,
        classes: count,
        from: form.text(),
        description: form.text(),
      }),
    ),
  }),
  doctor: form.record({
    version: form.text(),
    node: form.text(),
    platform: form.text(),
    cores: count,
    memory: form.number(),
    engine: form.text(),
    threads: count,
    engines: form.list(form.free<object>()),
    packages: form.table(form.nullable(form.text())),
    optional: form.list(form.free<object>()),
  }),
};

/** What is printed instead if a command fails. */
export const errorForm = form.record({
  error: form.record({
    kind: form.choice("option", "input", "file", "numeric", "limit", "fault"),
    code: form.text(),
    message: form.text(),
    option: form.optional(form.text()),
    column: form.optional(form.text()),
    row: form.optional(form.whole()),
    file: form.optional(form.text()),
  }),
});

/** The answer of a command with its `report`. */
export function reportForm(command: string): form.RecordForm<object> {
  const report = form.record({ command: form.choice(command), version: form.choice(REPORT_VERSION) });
  return form.record({ report, ...reportForms[command].fields });
}

/** A class, as it is written in the table. */
function textOrNumber(): form.Form<string | number> {
  const one = form.text();
  const other = form.number();
  return {
    schema: { oneOf: [one.schema, other.schema] },
    load: (value, at) => (typeof value === "number" ? other : one).load(value, at),
    save: (value) => value,
  };
}
