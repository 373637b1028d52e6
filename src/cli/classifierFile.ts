import { readFileSync } from "node:fs";
import { loadClassifier, type AnyClassifierData, type Classifier } from "../classify/index.ts";
import { fileError, inputError } from "../core/errors.ts";
import { requireScaling } from "../data/scaling.ts";
import { told } from "./metricFile.ts";
import type { Scaling } from "../data/index.ts";
import { version } from "./manifest.ts";

/** A classifier with the scaling that goes before it, as `kindred classify --model` writes it. */
export interface ClassifierFile {
  readonly path: string;
  /** Name of the column of classes. */
  readonly label: string;
  readonly scaling: Scaling;
  readonly classifier: Classifier;
}

export function classifierFileText(label: string, scaling: Scaling, classifier: Classifier): string {
  return `${JSON.stringify({ kindred: version(), kind: "classifier", label, scaling, classifier })}\n`;
}

export function readClassifierFile(path: string): ClassifierFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fileError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  let parsed: { kind?: unknown; label?: string; scaling?: Scaling; classifier?: AnyClassifierData };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (error) {
    throw inputError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  const { kind, label, scaling, classifier } = parsed ?? {};
  if (kind !== "classifier" || label === undefined || scaling === undefined || classifier === undefined) {
    throw inputError(`${path} is not a classifier; "kindred classify --model" writes one`);
  }
  if (typeof label !== "string") throw inputError(`${path} is damaged: "label" must be the name of a column`);
  return told(path, () => {
    const { kept } = requireScaling(scaling);
    const loaded = loadClassifier(classifier);
    if (loaded.features !== kept.length) {
      throw inputError(
        `the classifier has ${loaded.features} features, and its scaling ${kept.length}: it is damaged`,
      );
    }
    return { path, label, scaling, classifier: loaded };
  });
}
