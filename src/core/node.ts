/**
 * Node's own modules, loaded in a way that also works in a browser: there `undefined` is returned, and no
 * bundler sees an import to resolve.
 */
export function nodeModule<T>(name: string): T | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return host.process?.getBuiltinModule?.(`node:${name}`) as T | undefined;
}
