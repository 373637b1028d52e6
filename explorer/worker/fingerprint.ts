const PIECE = 1 << 22;

/**
 * The length of a file and a hash of its bytes: enough to notice another file, but no protection against
 * deception. Two multiplications a word (the mixing of MurmurHash3), in pieces.
 */
export async function fingerprint({ file }: { readonly file: Blob }): Promise<string> {
  let [a, b] = [0x9747b28c, 0x1b873593];
  for (let start = 0; start < file.size; start += PIECE) {
    const bytes = new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer());
    for (let p = 0; p < bytes.length; p += 4) {
      const word =
        bytes[p] | ((bytes[p + 1] ?? 0) << 8) | ((bytes[p + 2] ?? 0) << 16) | ((bytes[p + 3] ?? 0) << 24);
      a = Math.imul(a ^ word, 0xcc9e2d51);
      a = (a << 15) | (a >>> 17);
      b = Math.imul(b + word, 0x85ebca6b);
      b ^= b >>> 13;
    }
  }
  const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");
  return `${file.size}-${hex(Math.imul(a ^ (a >>> 16), 0xc2b2ae35))}${hex(Math.imul(b ^ (b >>> 16), 0xc2b2ae35))}`;
}
