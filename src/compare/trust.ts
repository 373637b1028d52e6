/**
 * The certainty of a choice in one of four words and, where calibrated, as a probability: that the partition
 * agrees with the classes that generated the data (adjusted Rand above .8). The logistic functions were
 * fitted to generated sets (docs/explanation/choice.md compares stated and actual rates on others).
 */
export interface Trust {
  /** "none": the data show no clusters. */
  readonly word: "clear" | "doubtful" | "weak" | "none";
  readonly probability: number;
  /** One sentence. */
  readonly reason: string;
}

const CLEAR = 0.8;
const DOUBTFUL = 0.5;

/** @param evidence of the weakest border; @param agreement of methods of other families with the partition */
export function trustGiven(evidence: number, agreement: number): Trust {
  const probability = logistic(GIVEN, evidence, agreement, 0);
  return worded(
    probability,
    `the weakest border between two clusters is real with a chance of ${odds(evidence)}; ` +
      `agreement with methods of other kinds ${agreement.toFixed(2)}`,
  );
}

/**
 * @param fall of the evidence after the number of clusters chosen
 * @param later the best evidence with more clusters; -Infinity if there is none
 * @param byBorders the number by the borders alone, where another one was chosen
 */
export function trustChosen(
  evidence: number,
  agreement: number,
  fall: number,
  later: number,
  byBorders?: number,
): Trust {
  const probability = logistic(CHOSEN, evidence, agreement, fall);
  // Further clusters that are likely real leave their number open.
  const open = later > 0 ? ", so their number is unsure" : "";
  const further = later === -Infinity ? "" : `, with more clusters ${odds(later)}${open}`;
  return worded(
    probability,
    `the weakest border between two clusters is real with a chance of ${odds(evidence)}${further}; ` +
      `agreement with methods of other kinds ${agreement.toFixed(2)}` +
      (byBorders === undefined ? "" : `; by the borders alone there would be ${byBorders}`),
  );
}

export function trustNone(evidence: number): Trust {
  return {
    word: "none",
    // The probability that the best border is not real.
    probability: 1 / (1 + Math.exp(evidence)),
    reason: `the best border between two clusters is real with a chance of ${odds(evidence)}, no more than in data without clusters`,
  };
}

/** Log-odds in words: "97 %". */
export function odds(evidence: number): string {
  const percent = Math.round(100 / (1 + Math.exp(-evidence)));
  return percent < 1 ? "less than 1 %" : percent > 99 ? "more than 99 %" : `${percent} %`;
}

const GIVEN = [-0.35, 0.41, 2.31, 0] as const;
const CHOSEN = [-4.85, 0.04, 1.11, 1.14] as const;

function logistic(
  [constant, ofEvidence, ofAgreement, ofFall]: readonly [number, number, number, number],
  evidence: number,
  agreement: number,
  fall: number,
): number {
  const clipped = Math.min(Math.max(evidence, -4), 4);
  const fitted =
    1 / (1 + Math.exp(-(constant + ofEvidence * clipped + ofAgreement * agreement + ofFall * fall)));
  // Ties and words make false valleys: a partition that no other kind of method finds is never called clear.
  return Math.min(fitted, 0.5 + 0.5 * Math.max(0, agreement));
}

function worded(probability: number, reason: string): Trust {
  return { word: trustWord(probability), probability, reason };
}

/** The word for a probability that there are these clusters. */
export function trustWord(probability: number): "clear" | "doubtful" | "weak" {
  return probability >= CLEAR ? "clear" : probability >= DOUBTFUL ? "doubtful" : "weak";
}
