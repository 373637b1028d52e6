/** Words that stand for "no value" in tables of every origin. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "|na|n/a|n.a.|n.a|nan|null|-|--|---|–|—|?|.|k.a.|k. a.|keine angabe|#n/a|#na|#n/a n/a|missing|not available|" +
    "not known|(blank)|<na>|<null>|inf|-inf|+inf|infinity|-infinity|n.d.|nd|s/d|undefined|tbd|*|…|...|-nan|1.#ind|" +
    "-1.#ind|1.#qnan|-1.#qnan|#value!|#div/0!|#ref!|#num!|#name?|not recorded|no data|not stated|no answer|" +
    "not measured|nr|no response|not applicable|n/d|unbekannt|inconnu|desconocido|\\n|nil"
  ).split("|"),
);

/** Words that may also be a level of their own: "none" is the lowest of none, mild, severe. */
const SOFT: ReadonlySet<string> = new Set(["none", "unknown", "unk", "keine", "aucun", "ninguno"]);

export function isMissingWord(text: string): boolean {
  return text.length <= 16 && WORDS.has(text.toLowerCase());
}

export function isSoftMissingWord(text: string): boolean {
  return text.length <= 16 && SOFT.has(text.toLowerCase());
}
