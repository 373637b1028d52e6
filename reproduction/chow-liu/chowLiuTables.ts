/**
 * Chapters 5 and 6 of X. Sui's dissertation (2018): nine figures of accuracy against the number of selected features,
 * for three data sets and three classifiers. The figures have no readable values, so only claims can be
 * checked.
 */
export const SETS = ["arrhythmia", "mfeat", "coil20"] as const;
export type ChowLiuSet = (typeof SETS)[number];

export const CLASSIFIERS = ["naiveBayes", "svm", "forest"] as const;
export type ChowLiuClassifier = (typeof CLASSIFIERS)[number];

/**
 * `clt` is `chowLiuSelect`; `cltText` is the printed algorithm with only line 11 repaired: constant features
 * are candidates, it continues without gain, and index order breaks ties.
 */
export const SELECTIONS = ["clt", "mrmr", "cfs", "cltText", "maxRelevance", "random"] as const;
export type ChowLiuSelector = (typeof SELECTIONS)[number];
/** The competitors of `clt`. */
export type Opponent = Exclude<ChowLiuSelector, "clt">;
export const OPPONENTS: readonly Opponent[] = SELECTIONS.filter((name) => name !== "clt");

export const SELECTION_TITLES: Readonly<Record<ChowLiuSelector, string>> = {
  clt: "CLT",
  mrmr: "mRMR",
  cfs: "CFS",
  cltText: "CLT of the text",
  maxRelevance: "max relevance",
  random: "random",
};

export const CLASSIFIER_TITLES: Readonly<Record<ChowLiuClassifier, string>> = {
  naiveBayes: "naive Bayes",
  svm: "SVM",
  forest: "random forest",
};

export const DATA: Readonly<
  Record<ChowLiuSet, { readonly data: string; readonly title: string; readonly firstFigure: number }>
> = {
  arrhythmia: { data: "arrhythmia-420", title: "ARR (arrhythmia)", firstFigure: 1 },
  mfeat: { data: "mfeat", title: "HDR (multiple features of digits)", firstFigure: 4 },
  // Figure 6.7 shows sample images.
  coil20: { data: "coil20", title: "COIL-20", firstFigure: 8 },
};

export function figureName(set: ChowLiuSet, classifier: ChowLiuClassifier): string {
  return `6.${DATA[set].firstFigure + CLASSIFIERS.indexOf(classifier)}`;
}

export const PROTOCOL = {
  sizes: [5, 10, 15, 20, 25, 30, 35, 40, 45, 50],
  quickSizes: [5, 20, 50],
  train: 0.1,
  repetitions: 20,
  quickRepetitions: 3,
  /** Of the reading in which the classifiers are cross-validated inside the other rows. */
  folds: 10,
  trees: 100,
  cost: 1,
  /** Accuracy that the last ten features may add if the curve counts as stable. */
  stable: 0.01,
  significance: 0.05,
} as const;
