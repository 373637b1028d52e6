import { form } from "../../core/internal.ts";
import { allScores } from "../../score/index.ts";

/** The agreement of clusters with known classes. */
export const classScoresForm = form.record({
  rand: form.number(),
  adjustedRand: form.number(),
  nmi: form.number(),
  accuracy: form.number(),
  purity: form.number(),
});

export interface ClassScores extends form.StoredOf<typeof classScoresForm> {}

/** Rows in no cluster are not counted; if that leaves none, all rows are one group. */
export function againstClasses(labels: ArrayLike<number>, classes: readonly string[]): ClassScores {
  const signs = areSigns(classes);
  const unknown = signs ? "class" : "omit";
  const counted = classes.some((name, i) => labels[i] >= 0 && (signs || isKnown(name)));
  const found = counted ? labels : new Int32Array(classes.length);
  const { rand, adjustedRand, nmi, accuracy, purity } = allScores(found, classes, { unknown });
  return { rand, adjustedRand, nmi, accuracy, purity };
}

/** Rows without a known class, which no score counts. */
export function unknownClasses(classes: readonly string[]): number {
  const signs = areSigns(classes);
  return classes.filter((name) => name === "" || (!signs && !isKnown(name))).length;
}

function isKnown(name: string): boolean {
  return name !== "" && name !== "-1";
}

/** "-1" means unknown, except if the classes are the two signs, as in many LIBSVM files. */
function areSigns(classes: readonly string[]): boolean {
  const signs = new Set(classes.map(Number));
  return signs.size === 2 && signs.has(-1) && signs.has(1);
}
