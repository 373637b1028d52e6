import { readFileSync } from "node:fs";

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The package.json of Kindred itself. */
export function manifest(): Manifest {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest;
}

export function version(): string {
  return manifest().version;
}

/** The text of a model file, with the version that wrote it. */
export function modelText(model: object): readonly string[] {
  return [`${JSON.stringify({ kindred: version(), ...model })}\n`];
}
