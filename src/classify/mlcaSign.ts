/**
 * Two classes by the sign of one score (M. T. Law, Y. Yu, M. Cord and E. P. Xing, 2016, section 4): the score m'x + b of MLCA
 * for two classes (metric/moments/mlca.ts), which is the least-squares fit of -1 and 1.
 */
import { form, inputError, plain, rule } from "../core/internal.ts";
import { multiplyVector, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { mlcaUnivariate } from "../metric/index.ts";
import type { Labeling } from "../score/index.ts";
import { newRows, trainingRows, type Classifier, classifierFields } from "./classifier.ts";

const signForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("mlcaSign"),
    /** m, one for each feature. */
    weights: form.numbers("features"),
    /** b. */
    offset: form.number(),
    /** |X'X m - X'y| / |X'y|. */
    residual: form.number(),
  }),
  ({ classes }, refuse) => {
    if (classes.length !== 2) throw refuse("classes", `has ${classes.length} entries where 2 belong`);
  },
);

export interface MlcaSignData extends form.StoredOf<typeof signForm> {}

export interface MlcaSign extends Classifier<MlcaSignData> {
  readonly weights: Float64Array;
  readonly offset: number;
  readonly certificate: { readonly kind: string; readonly residual: number };
  /** m'x + b of each row: negative for the first class. */
  scores(Y: MatrixLike): Float64Array;
}

export const mlcaSignOptions = {
  /** Normal equations, conjugate gradients, or the better one for the number of features (default). */
  solver: rule.oneOf(["auto", "direct", "iterative"] as const, "auto", {
    says: "normal equations, conjugate gradients, or the better one for the number of features",
  }),
};

export type MlcaSignOptions = rule.OptionsOf<typeof mlcaSignOptions>;

const METHOD = "mlcaSign";

export function mlcaSign(input: MatrixLike, labels: Labeling, options: MlcaSignOptions = {}): MlcaSign {
  const { solver } = rule.resolveOptions(METHOD, options, mlcaSignOptions);
  const { X, codes, classes, warnings } = trainingRows(METHOD, input, labels);
  if (classes.length !== 2) {
    throw inputError(
      `${METHOD} is for two classes, got ${classes.length}; other classifiers take any number`,
    );
  }
  const { metric, offset } = mlcaUnivariate(X, codes, { solver });
  return assemble({
    classes,
    weights: metric.factor.data.slice(),
    offset,
    residual: metric.certificate.residual,
    warnings: [...warnings, ...metric.warnings],
  });
}

/** Reads the output of `model()`. */
export function loadMlcaSign(data: MlcaSignData): MlcaSign {
  return assemble(form.load(signForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof signForm>, "method" | "features">;

function assemble(parts: Parts): MlcaSign {
  const { classes, weights, offset, residual, warnings } = parts;
  const features = weights.length;
  const scores = (input: MatrixLike): Float64Array => {
    const Y: Matrix = newRows(METHOD, input, features);
    return multiplyVector(Y, weights).map((score) => score + offset);
  };
  return plain({
    method: METHOD,
    classes,
    features,
    warnings,
    weights,
    offset,
    certificate: { kind: "normal equations |X'X m - X'y| / |X'y|", residual },
    scores,
    predict: (Y) => Array.from(scores(Y), (score) => classes[score < 0 ? 0 : 1]),
    toJSON: () => signForm.save({ ...parts, method: METHOD, features }),
  });
}
