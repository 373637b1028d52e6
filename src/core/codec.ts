import { inputError } from "./messages.ts";
import { isNumberIn, rangeWords, defined } from "./options.ts";

/**
 * Stored forms, declared once. From the declaration follow the type in the file (`StoredOf`), the type in the
 * program (`LoadedOf`), saving (`save`), loading with every check (`load`), and the published JSON schema:
 *
 *     const mixtureForm = record({
 *       clusters: size("K"),
 *       weights: numbers("K", { min: 0 }),
 *       labels: wholes("n", { min: 0, below: "K" }),
 *       names: optional(list(text(), "K")),
 *     });
 *     export interface MixtureData extends StoredOf<typeof mixtureForm> {}
 *     const { weights } = load(mixtureForm, JSON.parse(text), "the mixture");
 *
 * Lengths have names. The first use of "K" says how many there are, and later ones must agree; an entry of a
 * list keeps its own names to itself. An error names the field: `the mixture is damaged: "weights[2]" must be
 * a finite number at least 0, not -1`. Fields that no form knows are left alone.
 */
export interface Form<Stored, Loaded = Stored> {
  readonly schema: JsonSchema;
  readonly optional?: boolean;
  load(value: unknown, at: Place): Loaded;
  save(value: Loaded): Stored;
}

export interface OptionalForm<Stored, Loaded> extends Form<Stored, Loaded> {
  readonly optional: true;
}

export interface JsonSchema {
  readonly [word: string]: unknown;
}

/** A name that lengths of one file share, or the length itself. */
export type Length = string | number;

/** The field that is read. */
export interface Place {
  /** What is loaded: "the mixture". */
  readonly what: string;
  /** "weights[2]"; empty for the whole. */
  readonly path: string;
  readonly lengths: Map<string, number>;
}

export interface Range {
  readonly min?: number;
  readonly above?: number;
  /** A length by its name, for numbers that count something. */
  readonly max?: Length;
  readonly below?: Length;
}

export type StoredOf<F> = F extends { save(value: never): infer Stored } ? Stored : never;
export type LoadedOf<F> = F extends { load(value: never, at: never): infer Loaded } ? Loaded : never;

/** Loads what a file holds; `what` begins the message if it is damaged. */
export function load<Loaded>(form: Form<unknown, Loaded>, value: unknown, what: string): Loaded {
  return form.load(value, { what, path: "", lengths: new Map() });
}

/** Checks what a file holds, and leaves it in the form of the file. */
export function checked<F extends Form<unknown>>(form: F, value: unknown, what: string): StoredOf<F> {
  load(form, value, what);
  return value as StoredOf<F>;
}

/** The form of a part that stays as in the file, for a program that loads it later. */
export function asStored<F extends Form<unknown>>(form: F): Form<StoredOf<F>> {
  return {
    schema: form.schema,
    load(value, at) {
      form.load(value, at);
      return value as StoredOf<F>;
    },
    save: (value) => value,
  };
}

/** A form with a condition between its parts. */
export function where<F extends Form<unknown>>(
  form: F,
  condition: (value: LoadedOf<F>, refuse: (field: string, complaint: string) => Error) => void,
): F {
  return {
    ...form,
    load(value: unknown, at: Place) {
      const loaded = form.load(value, at) as LoadedOf<F>;
      condition(loaded, (field, complaint) => damaged(inside(at, field), complaint));
      return loaded;
    },
  };
}

type Fields = Readonly<Record<string, Form<unknown>>>;

type OptionalNames<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F];

type Flat<T> = { [K in keyof T]: T[K] };

/** The type in the file of a record of these fields, for fields that several forms share. */
export type StoredFields<F> = Flat<
  { readonly [K in keyof F as K extends OptionalNames<F> ? never : K]: StoredOf<F[K]> } & {
    readonly [K in keyof F as K extends OptionalNames<F> ? K : never]?: StoredOf<F[K]>;
  }
>;

type LoadedFields<F> = Flat<
  { readonly [K in keyof F as K extends OptionalNames<F> ? never : K]: LoadedOf<F[K]> } & {
    readonly [K in keyof F as K extends OptionalNames<F> ? K : never]?: LoadedOf<F[K]>;
  }
>;

export interface RecordForm<F> extends Form<StoredFields<F>, LoadedFields<F>> {
  readonly fields: F;
}

/** An object; its fields are read in the order in which they are declared. */
export function record<const F extends Fields>(fields: F): RecordForm<F> {
  const entries = Object.entries(fields);
  return {
    fields,
    schema: {
      type: "object",
      required: entries.filter(([, { optional }]) => optional !== true).map(([name]) => name),
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    },
    load(value, at) {
      if (!isObject(value)) throw wrong(at, "an object", value);
      const loaded: Record<string, unknown> = {};
      for (const [name, form] of entries) {
        const part = Object.hasOwn(value, name) ? value[name] : undefined;
        if (part === undefined && form.optional === true) continue;
        loaded[name] = form.load(part, inside(at, name));
      }
      return loaded as LoadedFields<F>;
    },
    save(value) {
      const parts = value as Readonly<Record<string, unknown>>;
      const present = entries.filter(([name]) => parts[name] !== undefined);
      return Object.fromEntries(
        present.map(([name, form]) => [name, form.save(parts[name])]),
      ) as StoredFields<F>;
    },
  };
}

type StoredVariants<Tag extends string, V, Shared> = {
  [K in keyof V]: Flat<{ readonly [T in Tag]: K } & StoredFields<V[K]> & StoredFields<Shared>>;
}[keyof V];

type LoadedVariants<Tag extends string, V, Shared> = {
  [K in keyof V]: Flat<{ readonly [T in Tag]: K } & LoadedFields<V[K]> & LoadedFields<Shared>>;
}[keyof V];

/** Objects of several kinds: the field `tag` says which. The shared fields come first. */
export function tagged<
  const Tag extends string,
  const V extends Readonly<Record<string, Fields>>,
  const Shared extends Fields = Readonly<Record<never, never>>,
>(
  tag: Tag,
  variants: V,
  shared?: Shared,
): Form<StoredVariants<Tag, V, Shared>, LoadedVariants<Tag, V, Shared>> {
  const forms: Readonly<Record<string, RecordForm<Fields>>> = Object.fromEntries(
    Object.entries(variants).map(([name, fields]) => [
      name,
      record({ [tag]: choice(name), ...shared, ...fields } as Fields),
    ]),
  );
  const formOf = (value: unknown, at: Place): RecordForm<Fields> => {
    const name: unknown =
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[tag] : "";
    if (typeof name === "string" && Object.hasOwn(forms, name)) return forms[name];
    if (typeof value !== "object" || value === null) throw wrong(at, "an object", value);
    throw damaged(inside(at, tag), `is ${shown(name)}, which this version does not know`);
  };
  return {
    schema: { oneOf: Object.values(forms).map(({ schema }) => schema) },
    load: (value, at) => formOf(value, at).load(value, at) as LoadedVariants<Tag, V, Shared>,
    save: (value) =>
      forms[(value as Record<string, string>)[tag]].save(value as never) as StoredVariants<Tag, V, Shared>,
  };
}

/** A field that may be absent. */
export function optional<Stored, Loaded>(form: Form<Stored, Loaded>): OptionalForm<Stored, Loaded> {
  return { ...form, optional: true };
}

export function nullable<Stored, Loaded>(form: Form<Stored, Loaded>): Form<Stored | null, Loaded | null> {
  return {
    schema: { oneOf: [form.schema, { type: "null" }] },
    load: (value, at) => (value === null ? null : form.load(value, at)),
    save: (value) => (value === null ? null : form.save(value)),
  };
}

/** A text, or else another form. */
export function textOr<Stored, Loaded>(other: Form<Stored, Loaded>): Form<string | Stored, string | Loaded> {
  return {
    schema: { oneOf: [text().schema, other.schema] },
    load: (value, at) => (typeof value === "string" ? value : other.load(value, at)),
    save: (value) => (typeof value === "string" ? value : other.save(value)),
  };
}

export function list<Stored, Loaded>(
  form: Form<Stored, Loaded>,
  length?: Length,
): Form<readonly Stored[], readonly Loaded[]> {
  return {
    schema: { type: "array", items: form.schema },
    load: (value, at) =>
      entriesOf(value, at, length).map((entry, i) =>
        form.load(entry, { ...at, path: `${at.path}[${i}]`, lengths: new Map(at.lengths) }),
      ),
    save: (value) => value.map((entry) => form.save(entry)),
  };
}

/** Numbers, which the program keeps in a typed array. */
export function numbers(length?: Length, range: Range = {}): Form<readonly number[], Float64Array> {
  return {
    schema: { type: "array", items: rangeSchema("number", range) },
    load: (value, at) => Float64Array.from(numbersAt(value, at, length, range, false)),
    save: (value) => Array.from(value),
  };
}

/** Whole numbers of 32 bits. */
export function wholes(length?: Length, range: Range = {}): Form<readonly number[], Int32Array> {
  const short = range.max === undefined && range.below === undefined ? { ...range, below: 2 ** 31 } : range;
  return {
    schema: { type: "array", items: rangeSchema("integer", range) },
    load: (value, at) => Int32Array.from(numbersAt(value, at, length, short, true)),
    save: (value) => Array.from(value),
  };
}

export function number(range: Range = {}): Form<number> {
  return oneNumber(range, false);
}

export function whole(range: Range = {}): Form<number> {
  return oneNumber(range, true);
}

/** A whole number that says how long other parts are. */
export function size(name: Length, range: Range = {}): Form<number> {
  const form = oneNumber({ min: 0, ...range }, true);
  return {
    ...form,
    load(value, at) {
      const count = form.load(value, at);
      const expected = agreed(at, name, count);
      if (expected !== count) throw wrong(at, String(expected), value);
      return count;
    },
  };
}

export function text(): Form<string> {
  return plainForm({ type: "string" }, "a text", (value) => typeof value === "string");
}

export function boolean(): Form<boolean> {
  return plainForm({ type: "boolean" }, "true or false", (value) => typeof value === "boolean");
}

export function choice<const T extends string | number | boolean>(...choices: readonly T[]): Form<T> {
  const schema = choices.length === 1 ? { const: choices[0] } : { enum: choices };
  const expected = choices.map((one) => JSON.stringify(one)).join(" or ");
  return plainForm(schema, expected, (value) => choices.includes(value as T));
}

/** An object by names that the file chooses. */
export function table<Stored, Loaded>(
  form: Form<Stored, Loaded>,
): Form<Readonly<Record<string, Stored>>, Readonly<Record<string, Loaded>>> {
  const each = <A, B>(value: Readonly<Record<string, A>>, made: (entry: A, name: string) => B) =>
    Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, made(entry, name)]));
  return {
    schema: { type: "object", additionalProperties: form.schema },
    load(value, at) {
      if (!isObject(value)) throw wrong(at, "an object", value);
      return each(value, (entry, name) => form.load(entry, inside(at, name)));
    },
    save: (value) => each(value, (entry) => form.save(entry)),
  };
}

/** An object for people or for one method, which nothing is computed from. */
export function free<T extends object>(): Form<T> {
  return plainForm({ type: "object" }, "an object", isObject);
}

/** A part that nothing is computed from and nobody is shown. */
export function unchecked<T>(): Form<T> {
  return { schema: {}, load: (value) => value as T, save: (value) => value };
}

/** The error of a value that is not what belongs there. */
export function wrong(at: Place, expected: string, value: unknown): Error {
  const complaint = `must be ${expected}, not ${shown(value)}`;
  return damaged(at, complaint, value === undefined ? "damaged, or of an older version" : undefined);
}

export function damaged({ what, path }: Place, complaint: string, state: string = "damaged"): Error {
  const field = path === "" ? `it ${complaint}` : `"${path}" ${complaint}`;
  return inputError(`${what} is ${state}: ${field}`, { code: "damaged" });
}

export function inside(at: Place, name: string): Place {
  if (name === "") return at;
  return { ...at, path: at.path === "" ? name : `${at.path}.${name}` };
}

/** The count of a length: the one that is known by its name, or this one from now on. */
export function agreed({ lengths }: Place, length: Length | undefined, count: number): number {
  if (length === undefined) return count;
  if (typeof length === "number") return length;
  const known = lengths.get(length);
  if (known === undefined) lengths.set(length, count);
  return known ?? count;
}

function entriesOf(value: unknown, at: Place, length: Length | undefined): readonly unknown[] {
  if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    throw wrong(at, "a list", value);
  }
  const entries = value as readonly unknown[];
  const expected = agreed(at, length, entries.length);
  if (entries.length === expected) return entries;
  throw damaged(at, `has ${entries.length} entries where ${expected} belong`);
}

function numbersAt(
  value: unknown,
  at: Place,
  length: Length | undefined,
  range: Range,
  isWhole: boolean,
): readonly number[] {
  const entries = entriesOf(value, at, length);
  const bounds = boundsOf(range, at);
  for (let i = 0; i < entries.length; i++) {
    if (isNumberIn(entries[i], bounds, isWhole)) continue;
    throw wrong({ ...at, path: `${at.path}[${i}]` }, expectation(bounds, isWhole), entries[i]);
  }
  return entries as readonly number[];
}

function oneNumber(range: Range, isWhole: boolean): Form<number> {
  return {
    schema: rangeSchema(isWhole ? "integer" : "number", range),
    load(value, at) {
      const bounds = boundsOf(range, at);
      if (isNumberIn(value, bounds, isWhole)) return value as number;
      throw wrong(at, expectation(bounds, isWhole), value);
    },
    save: (value) => value,
  };
}

/** The form of values that are the same in the program. */
function plainForm<T>(schema: JsonSchema, expected: string, accepts: (value: unknown) => boolean): Form<T> {
  return {
    schema,
    load(value, at) {
      if (accepts(value)) return value as T;
      throw wrong(at, expected, value);
    },
    save: (value) => value,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Bounds extends Range {
  readonly max?: number;
  readonly below?: number;
}

function boundsOf({ max, below, ...range }: Range, { lengths }: Place): Bounds {
  const countOf = (length?: Length): number | undefined =>
    typeof length === "string" ? lengths.get(length) : length;
  return { ...range, max: countOf(max), below: countOf(below) };
}

function expectation(range: Bounds, isWhole: boolean): string {
  return `${isWhole ? "a whole number" : "a finite number"}${rangeWords(range)}`;
}

function rangeSchema(type: string, { min, max, above, below }: Range): JsonSchema {
  const words = {
    minimum: min,
    maximum: typeof max === "number" ? max : undefined,
    exclusiveMinimum: above,
    exclusiveMaximum: typeof below === "number" ? below : undefined,
  };
  return { type, ...defined(words) };
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const words = typeof value === "string" ? JSON.stringify(value) : String(value);
  return words.length > 40 ? `${words.slice(0, 40)}...` : words;
}
