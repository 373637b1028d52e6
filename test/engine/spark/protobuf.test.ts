import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../../src/engine/spark/protobuf.ts";

describe("protobuf", () => {
  it("writes the examples of the format's documentation", () => {
    expect(encode([[1, 150]])).toEqual(Uint8Array.of(0x08, 0x96, 0x01));
    expect(encode([[2, "testing"]])).toEqual(Uint8Array.of(0x12, 7, ...Buffer.from("testing")));
    expect(encode([[3, encode([[1, 150]])]])).toEqual(Uint8Array.of(0x1a, 3, 0x08, 0x96, 0x01));
    expect(encode([[999, true]])).toEqual(Uint8Array.of(0xb8, 0x3e, 1));
    expect(encode([[1, undefined]])).toHaveLength(0);
  });

  it("reads what it wrote", () => {
    const field = fc.record({
      number: fc.integer({ min: 1, max: 2 ** 20 }),
      value: fc.oneof(fc.string({ unit: "grapheme" }), fc.maxSafeNat(), fc.boolean(), fc.uint8Array()),
    });
    fc.assert(
      fc.property(fc.uniqueArray(field, { selector: ({ number }) => number }), (fields) => {
        const message = decode(encode(fields.map(({ number, value }) => [number, value])));
        for (const { number, value } of fields) {
          const read = typeof value === "string" ? message.text : message.bytes;
          const plain = typeof value === "number" || typeof value === "boolean";
          expect(message.has(number)).toBe(true);
          expect(plain ? message.number(number) : read(number)).toEqual(plain ? Number(value) : value);
        }
      }),
    );
  });

  it("keeps repeated fields apart, skips fixed ones and takes the last of the others", () => {
    const written = encode([
      [4, encode([[1, "a"]])],
      [4, encode([[1, "b"]])],
      [5, 1],
      [5, 2],
    ]);
    const fixed64 = [0x31, 1, 2, 3, 4, 5, 6, 7, 8];
    const fixed32 = [0x3d, 1, 2, 3, 4];
    const message = decode(Uint8Array.of(...fixed64, ...written, ...fixed32));
    expect(message.messages(4).map((part) => part.text(1))).toEqual(["a", "b"]);
    expect(message.number(5)).toBe(2);
    expect(message.number(9)).toBe(0);
    expect(message.text(9)).toBe("");
    expect(message.messages(9)).toEqual([]);
  });

  it("refuses what is cut off or no message at all", () => {
    const bytes = encode([
      [1, "some text"],
      [2, 1_000_000],
    ]);
    for (let length = 1; length < bytes.length; length++) {
      if (length === 11) continue; // between the fields
      expect(() => decode(bytes.subarray(0, length))).toThrow("a message of the server cannot be read");
    }
    expect(() => decode(new Uint8Array(20).fill(0xff))).toThrow("cannot be read");
    expect(() => decode(Uint8Array.of(0x0b))).toThrow("cannot be read");
  });
});
