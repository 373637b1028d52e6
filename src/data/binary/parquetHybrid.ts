/**
 * Fills `into` from Parquet's hybrid of runs and bit-packed groups (parquet-format, Encodings.md, "Run Length Encoding /
 * Bit-Packing Hybrid"). A run that declares too many values fills the available room.
 *
 * @param width bits of a value, 1 to 32
 * @param strict a run that is longer is an error
 */
export function readHybrid(
  bytes: Uint8Array,
  width: number,
  into: Uint8Array | Uint32Array,
  strict: boolean = false,
): void {
  const end = new Error("the runs of a page end too early");
  const valueBytes = (width + 7) >> 3;
  let p = 0;
  let filled = 0;
  while (filled < into.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (p >= bytes.length || shift > 28) throw end;
      header += (bytes[p] & 127) * 2 ** shift;
      if (bytes[p++] < 128) break;
    }
    const count = Math.floor(header / 2);
    const groups = header % 2 === 1;
    if (strict && count * (groups ? 8 : 1) > into.length - filled + (groups ? 7 : 0)) {
      throw new Error("a run is longer than its page");
    }
    if (!groups) {
      if (count > 0 && p + valueBytes > bytes.length) throw end;
      let value = 0;
      for (let k = 0; k < valueBytes; k++) value += bytes[p + k] * 2 ** (8 * k);
      p += valueBytes;
      into.fill(value, filled, Math.min(into.length, filled + count));
      filled += count;
      continue;
    }
    // Groups of eight values; the last may be cut off if the rest is not needed.
    const values = Math.min(8 * count, into.length - filled);
    if (p + Math.ceil((values * width) / 8) > bytes.length) throw end;
    unpackBits(bytes, p, width, into, filled, values);
    p += count * width;
    filled += 8 * count;
  }
}

function unpackBits(
  bytes: Uint8Array,
  from: number,
  width: number,
  into: Uint8Array | Uint32Array,
  at: number,
  count: number,
): void {
  let p = from;
  if (width <= 24) {
    // The buffered bits stay below 31.
    const mask = (1 << width) - 1;
    let held = 0;
    let bits = 0;
    for (let i = 0; i < count; i++) {
      while (bits < width) {
        held |= bytes[p++] << bits;
        bits += 8;
      }
      into[at + i] = held & mask;
      held >>>= width;
      bits -= width;
    }
    return;
  }
  let held = 0;
  let bits = 0;
  const power = 2 ** width;
  for (let i = 0; i < count; i++) {
    while (bits < width) {
      held += bytes[p++] * 2 ** bits;
      bits += 8;
    }
    into[at + i] = held % power;
    held = Math.floor(held / power);
    bits -= width;
  }
}
