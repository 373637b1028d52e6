import { plainName } from "./numberKind.ts";

/**
 * Grams per mole of the substance that the name of a column names, for results in mg/dL beside mmol/L; undefined if it
 * names none. Urea nitrogen and phosphate are given as their nitrogen and phosphorus.
 */
export function molarMass(name: string): number | undefined {
  const plain = plainName(name);
  return SUBSTANCES.find(([names]) => names.test(plain))?.[1];
}

const SUBSTANCES: readonly (readonly [RegExp, number])[] = [
  [/gluc|gluk|blood sugar|blutzucker|\bglu\b/, 180.16],
  [/choles|colest|\bchol\b|\bv?[lh]dl\b/, 386.65],
  [/triglyc|triglyz|triglic|\btrigs?\b/, 885.4],
  [/creatinin|kreatinin|créatinin|\bcrea\b|\bkrea\b/, 113.12],
  [/urea nitrogen|\bbun\b/, 28.01],
  [/\burea\b|harnstoff|\burée\b/, 60.06],
  [/uric acid|\burate\b|harnsäure|acide urique/, 168.11],
  [/bilirubin|\bbili\b/, 584.66],
  [/calcium|kalzium/, 40.08],
  [/magnesium/, 24.31],
  [/phosph?ate?\b|\bphosphorus\b/, 30.97],
  [/\biron\b|\beisen\b/, 55.85],
  [/lactate|laktat/, 90.08],
];
