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

/** By first character, because most cells begin with one that no such word has. */
const BEGINS: Uint8Array = beginnings();

function beginnings(): Uint8Array {
  const begins = new Uint8Array(128);
  for (const word of [...WORDS, ...SOFT]) {
    for (const first of [word.charCodeAt(0), word.toUpperCase().charCodeAt(0)]) {
      if (first < 128) begins[first] = 1;
    }
  }
  return begins;
}

function mayBe(text: string): boolean {
  if (text.length > 16) return false;
  const first = text.charCodeAt(0);
  return !(first < 128) || BEGINS[first] === 1;
}

export function isMissingWord(text: string): boolean {
  return mayBe(text) && WORDS.has(text.toLowerCase());
}

export function isSoftMissingWord(text: string): boolean {
  return mayBe(text) && SOFT.has(text.toLowerCase());
}
