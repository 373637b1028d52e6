/**
 * A name in at most `most` letters, in one line. Of a long one the end is kept, too: "How satisfied are you …
 * [Price]" differs from "[Speed]" only there.
 */
export function shortName(name: string, most: number = 40): string {
  const letters = [...name.replaceAll(/\s+/g, " ").trim()];
  if (letters.length <= most) return letters.join("");
  const tail = Math.floor(0.4 * (most - 1));
  const start = letters.slice(0, most - 1 - tail).join("");
  const end = letters.slice(-tail).join("");
  // At the borders of words, if that leaves half of a part.
  const [last, first] = [start.lastIndexOf(" "), end.indexOf(" ")];
  return (
    (2 * last >= start.length ? start.slice(0, last + 1) : start) +
    "…" +
    (first >= 0 && 2 * first <= end.length ? end.slice(first) : end)
  );
}
