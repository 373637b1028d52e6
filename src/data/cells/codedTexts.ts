/** Numbers texts in the order of their first occurrence, after the known ones. */
export interface TextCodes {
  readonly texts: readonly string[];
  codeOf(text: string): number;
}

export function textCodes(known: Iterable<string> = []): TextCodes {
  const texts = [...known];
  const places = new Map(texts.map((text, code) => [text, code]));
  return {
    texts,
    codeOf(text) {
      let code = places.get(text);
      if (code === undefined) {
        places.set(text, (code = texts.length));
        texts.push(text);
      }
      return code;
    },
  };
}

/** The different texts of a column, and the code of each row's; -1 where it is "". */
export function codedTexts(cells: readonly string[]): { texts: readonly string[]; codes: Int32Array } {
  const { texts, codeOf } = textCodes();
  return { codes: Int32Array.from(cells, (text) => (text === "" ? -1 : codeOf(text))), texts };
}
