/**
 * The result of a method is plain data: it passes through `structuredClone` and `JSON.stringify`. Its
 * functions (`predict`, `transform`, `model`, ...) can be called, but are not enumerable, so copies leave
 * them out.
 */
export interface Plain {
  /**
   * The data in JSON form: typed arrays as arrays, a matrix as { rows, cols, data }. Numbers that JSON lacks,
   * and would turn into null, become "Infinity", "-Infinity", "NaN".
   */
  toJSON(): object;
}

/** The fields that `plain` adds if they are absent. */
type Added = "toJSON" | "model";

/**
 * `parts` as a result; its functions are hidden from copies. Without a `toJSON`, a default returns all data.
 * Without a `model`, but with a `toJSON`, the result is its own model (metrics and classifiers).
 */
export function plain<T extends Plain>(parts: Omit<T, Added> & Partial<Pick<T, Extract<keyof T, Added>>>): T {
  return assemble(Object.getOwnPropertyDescriptors(parts)) as T;
}

/**
 * A result with additional or replaced parts; in contrast to `{ ...base, ...parts }` it keeps the functions
 * of `base`.
 */
export function extended<A extends object, B extends object>(base: A, parts: B): NoInfer<Extended<A, B>> {
  return assemble({
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(parts),
  }) as unknown as Extended<A, B>;
}

export type Extended<A, B> = Omit<A, keyof B> & B & Plain;

/** Any value in JSON form. */
export function jsonOf(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, jsonOf);
  if (Array.isArray(value)) return value.map(jsonOf);
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : entriesOf(value);
}

/** The functions made by `assemble`, which belong to one result each. */
const added = new WeakSet<object>();

function assemble(descriptors: Readonly<Record<string, PropertyDescriptor>>): object {
  const made = {};
  for (const [name, descriptor] of Object.entries(descriptors)) {
    const { value } = descriptor as { readonly value?: unknown };
    if (typeof value === "function" && added.has(value)) continue;
    const enumerable = descriptor.enumerable === true && typeof value !== "function";
    Object.defineProperty(made, name, { ...descriptor, enumerable });
  }
  const own = Object.getOwnPropertyDescriptor(made, "toJSON")?.value as unknown;
  if (typeof own === "function" && !("model" in made)) {
    Object.defineProperty(made, "model", { value: own, enumerable: false });
  }
  if (own === undefined) {
    const toJSON = (): object => entriesOf(made);
    added.add(toJSON);
    Object.defineProperty(made, "toJSON", { value: toJSON, enumerable: false });
  }
  return made;
}

function entriesOf(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined && typeof part !== "function")
      .map(([name, part]) => [name, jsonOf(part)]),
  );
}
