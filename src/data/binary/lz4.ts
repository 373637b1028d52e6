/**
 * Unpacks an LZ4 frame, the default compression of Feather files, into `output`; returns the filled part.
 * Blocks of a frame may refer to the 64 kB before them, so all are unpacked into one output.
 *
 * Format: github.com/lz4/lz4, doc/lz4_Frame_format.md and doc/lz4_Block_format.md.
 */
export function decompressLz4Frame(bytes: Uint8Array, output: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 7 || view.getUint32(0, true) !== 0x184d2204) throw new Error("not an LZ4 frame");
  const flags = bytes[4];
  const blockChecksum = (flags & 0x10) === 0 ? 0 : 4;
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  if (hasDictionary) throw new Error("LZ4 dictionaries are not supported");
  let p = hasSize ? 15 : 7;
  let length = 0;

  const reserve = (more: number): void => {
    if (length + more > output.length) throw new Error("the LZ4 data are longer than they declare");
  };

  const unpackBlock = (start: number, end: number): void => {
    let q = start;
    const extended = (base: number): number => {
      let count = base;
      if (base !== 15) return count;
      for (;;) {
        if (q >= end) throw new Error("the LZ4 data ends too early");
        const byte = bytes[q++];
        count += byte;
        if (byte !== 255) return count;
      }
    };
    while (q < end) {
      const token = bytes[q++];
      const literals = extended(token >> 4);
      if (q + literals > end) throw new Error("the LZ4 data ends too early");
      reserve(literals);
      output.set(bytes.subarray(q, q + literals), length);
      length += literals;
      q += literals;
      if (q === end) return; // the last sequence is literals only
      const offset = bytes[q] | (bytes[q + 1] << 8);
      q += 2;
      const match = extended(token & 15) + 4;
      if (offset === 0 || offset > length || q > end) throw new Error("the LZ4 data is damaged");
      reserve(match);
      // Source and target may overlap: copying byte by byte repeats the pattern, as the format requires.
      for (const stop = length + match; length < stop; length++) output[length] = output[length - offset];
    }
  };

  for (;;) {
    if (p + 4 > bytes.length) throw new Error("the LZ4 data ends too early");
    const header = view.getUint32(p, true);
    p += 4;
    if (header === 0) return output.subarray(0, length);
    const size = header & 0x7fffffff;
    if (p + size > bytes.length) throw new Error("the LZ4 data ends too early");
    if (header >>> 31 === 1) {
      reserve(size);
      output.set(bytes.subarray(p, p + size), length);
      length += size;
    } else {
      unpackBlock(p, p + size);
    }
    p += size + blockChecksum;
  }
}
