import type { CovarianceKind } from "./gaussianCovariance.ts";

/**
 * G. Celeux and G. Govaert (1995), "Gaussian parsimonious clustering models": S_k = lambda_k D_k A_k D_k', |A_k| = 1, by volume,
 * shape and orientation, each Equal for all components, Varying, or Identity. Names are those of C. Fraley and A. E. Raftery
 * (2002). VVV is "full", EEE "tied", VVI "diagonal" and VII "spherical".
 */
export const COVARIANCE_MODELS = [
  "EII",
  "VII",
  "EEI",
  "VEI",
  "EVI",
  "VVI",
  "EEE",
  "VEE",
  "EVE",
  "VVE",
  "EEV",
  "VEV",
  "EVV",
  "VVV",
] as const;

export type CovarianceModel = (typeof COVARIANCE_MODELS)[number];

/** The kind that holds the covariances of each model. */
export function kindOf(model: CovarianceModel): CovarianceKind {
  const plain = { VVV: "full", EEE: "tied", VVI: "diagonal", VII: "spherical" } as const;
  if (model in plain) return plain[model as keyof typeof plain];
  return model.endsWith("I") ? "diagonal" : "full";
}

/** Free numbers in K covariances of d dimensions. */
export function modelParameters(model: CovarianceModel, K: number, d: number): number {
  const [volume, shape, orientation] = model;
  const times = (letter: string): number => ({ E: 1, V: K, I: 0 })[letter as "E" | "V" | "I"];
  return times(volume) + times(shape) * (d - 1) + (times(orientation) * (d * (d - 1))) / 2;
}
