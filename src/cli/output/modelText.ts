import { version } from "../manifest.ts";

/** The text of a model file, with the version that wrote it. */
export function modelText(model: object): readonly string[] {
  return [`${JSON.stringify({ kindred: version(), ...model })}\n`];
}
