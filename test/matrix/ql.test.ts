import { expect, it } from "vitest";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { matrix } from "../../src/matrix/matrix.ts";
import { gram } from "../../src/matrix/multiply.ts";

it("converges where the first off-diagonal entries underflow", () => {
  const rows = Float64Array.from([0, -3.5e-323, -4.642857142857143, 0, 0, 0, 3.5e-323, 4.642857142857143]);
  const { values } = symmetricEigen(gram(matrix(2, 4, rows)));
  const square = 4.642857142857143 ** 2;
  expect(Array.from(values)).toEqual([square, square, 0, 0].map((value) => expect.closeTo(value, 12)));
});
