import { describe, expect, it } from "vitest";
import { encodeLabels, isUnknown } from "../../src/score/index.ts";

describe("encodeLabels", () => {
  it("numbers the classes in an order that the rows do not change", () => {
    expect(encodeLabels(["b", 10, "a", 2, "b"])).toEqual({
      codes: Int32Array.of(3, 1, 2, 0, 3),
      classes: [2, 10, "a", "b"],
    });
  });

  it("marks unknown labels with -1", () => {
    expect(Array.from(encodeLabels([null, "", -1, "-1", undefined, "x"]).codes)).toEqual([
      -1, -1, -1, -1, -1, 0,
    ]);
    expect(isUnknown(0)).toBe(false);
    expect(isUnknown(" ")).toBe(false);
  });

  it("takes -1 for a class where the classes are the two signs", () => {
    expect(encodeLabels([1, -1, 1])).toEqual({ codes: Int32Array.of(1, 0, 1), classes: [-1, 1] });
    expect(encodeLabels(["+1", "-1", ""])).toEqual({ codes: Int32Array.of(0, 1, -1), classes: ["+1", "-1"] });
    expect(encodeLabels([1, -1, 2]).codes).toEqual(Int32Array.of(0, -1, 1));
    expect(encodeLabels([1, null]).classes).toEqual([1]);
    expect(encodeLabels([-1, -1]).classes).toEqual([]);
  });

  it("joins a number with its text, but not with another spelling of it", () => {
    expect(encodeLabels([1, "1", "01"]).classes).toEqual([1, "01"]);
    expect(encodeLabels(["1", 1]).classes).toEqual(["1"]);
    expect(encodeLabels([0, -0]).classes.length).toBe(1);
  });

  it("reads typed arrays", () => {
    expect(encodeLabels(Int32Array.of(5, 5, -1, 3))).toEqual({
      codes: Int32Array.of(1, 1, -1, 0),
      classes: [3, 5],
    });
  });
});
