import { loadClassifier, type AnyClassifierData, type Classifier } from "../classify/index.ts";
import { isNot, restoreTableSpace } from "./learnedModels.ts";
import type { TableSpace } from "./placedForm.ts";

/** A classifier with its preprocessing. */
export interface ClassifierModel extends TableSpace {
  /** Name of the column of classes. */
  readonly label: string;
  readonly classifier: Classifier;
}

/** The form in a file. */
export interface ClassifierModelData extends TableSpace {
  readonly kind: "classifier";
  readonly label: string;
  readonly classifier: AnyClassifierData;
}

/** A classifier as a model file. */
export function storeClassifierModel(model: ClassifierModel): ClassifierModelData {
  const { label, columns, space, classifier } = model;
  return { kind: "classifier", label, columns, space, classifier: classifier.model() as AnyClassifierData };
}

/** Reads the output of `storeClassifierModel`. */
export function loadClassifierModel(json: unknown): ClassifierModel {
  const { kind, label, classifier } = (json ?? {}) as Partial<ClassifierModelData>;
  if (kind !== "classifier" || typeof label !== "string" || classifier === undefined) {
    throw isNot("a classifier", "classify");
  }
  const loaded = loadClassifier(classifier);
  return { label, ...restoreTableSpace(json as object, loaded.features, "classifier"), classifier: loaded };
}
