/**
 * Node's own modules, loaded in a way that also works in a browser: there `undefined` is returned, and no
 * bundler sees an import to resolve.
 */
export function nodeModule<T>(name: string): T | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return host.process?.getBuiltinModule?.(`node:${name}`) as T | undefined;
}

/** A variable of the environment; undefined if it is empty or not set, and in a browser. */
export function environment(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return host.process?.env?.[name] || undefined;
}
