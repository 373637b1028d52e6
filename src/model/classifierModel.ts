import { loadClassifier, type AnyClassifierData, type Classifier } from "../classify/index.ts";
import { inputError } from "../core/errors.ts";
import type { Scaling } from "../data/index.ts";
import { requireWidth } from "./metricModel.ts";
import { restoreScaling } from "./storedScaling.ts";

/** A classifier with the scaling that goes before it. */
export interface ClassifierModel {
  /** Name of the column of classes. */
  readonly label: string;
  readonly scaling: Scaling;
  readonly classifier: Classifier;
}

/** As it is written to a file. */
export interface ClassifierModelData {
  readonly kind: "classifier";
  readonly label: string;
  readonly scaling: Scaling;
  readonly classifier: AnyClassifierData;
}

export function storeClassifierModel({ label, scaling, classifier }: ClassifierModel): ClassifierModelData {
  return { kind: "classifier", label, scaling, classifier: classifier.model() as AnyClassifierData };
}

/** Reads back what `storeClassifierModel` gave; refuses what is none, or damaged. */
export function loadClassifierModel(json: unknown): ClassifierModel {
  const { kind, label, scaling, classifier } = (json ?? {}) as Partial<ClassifierModelData>;
  if (kind !== "classifier" || typeof label !== "string" || classifier === undefined) {
    throw inputError('this is not a classifier; "kindred classify --model" writes one');
  }
  const model = { label, scaling: restoreScaling(scaling), classifier: loadClassifier(classifier) };
  requireWidth(model.scaling, model.classifier.features, "classifier");
  return model;
}
