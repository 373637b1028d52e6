import { describe, expect, it } from "vitest";
import { kernelPca, loadKernelPca, pca } from "../../src/embed/index.ts";
import { fromRows, matrix, takeRows } from "../../src/matrix/index.ts";
import { blobs, farthest, peers } from "../classicalFixture.ts";

const sizes = (values: Float64Array): number[] => Array.from(values, Math.abs);

describe("kernelPca", () => {
  it("agrees with scikit-learn, also on rows it has not seen", () => {
    const { sigma, values, scores, unseen } = peers.kernelPca;
    const ours = kernelPca(blobs, { sigma, dims: 4 });
    expect(farthest(ours.values, values)).toBeLessThan(1e-9);
    expect(farthest(sizes(ours.embedding.data.subarray(0, 20)), scores.flat())).toBeLessThan(1e-9);
    const first = takeRows(blobs, [0, 1, 2]);
    const moved = matrix(
      3,
      3,
      first.data.map((value) => value + 0.25),
    );
    expect(farthest(sizes(ours.transform(moved).data), unseen.flat())).toBeLessThan(1e-9);
  });

  it("gives the rows it was made of their coordinates", () => {
    for (const kernel of ["gaussian", "polynomial", "linear"] as const) {
      const { embedding, transform } = kernelPca(blobs, { kernel, dims: 3 });
      expect(farthest(transform(blobs).data, embedding.data)).toBeLessThan(
        1e-8 * Math.max(...sizes(embedding.data)),
      );
    }
  });

  it("is PCA for the linear kernel, and up to scale for a Gaussian of huge sigma", () => {
    const linear = pca(blobs, { dims: 2 });
    expect(
      farthest(
        sizes(kernelPca(blobs, { kernel: "linear", dims: 2 }).embedding.data),
        sizes(linear.embedding.data),
      ),
    ).toBeLessThan(1e-9);
    const sigma = 1e9;
    const huge = kernelPca(blobs, { sigma, dims: 2 });
    expect(huge.warnings).toEqual([]);
    expect(
      farthest(
        sizes(huge.embedding.data).map((value) => value * sigma),
        sizes(linear.embedding.data),
      ),
    ).toBeLessThan(1e-6);
  });

  it("says when sigma is too small to compare rows", () => {
    const { warnings, embedding } = kernelPca(blobs, { sigma: 1e-5 });
    expect(warnings.join()).toMatch(/almost 0.*a larger sigma \(now 0.00001\)/);
    expect(embedding.data.every(Number.isFinite)).toBe(true);
    const twins = fromRows([[0], [0], [5], [7]]);
    expect(kernelPca(twins, { sigma: 1e-5 }).warnings.join()).toMatch(/almost 0/);
  });

  it("says when there are fewer directions than asked for", () => {
    const X = fromRows([[0], [0], [5], [5], [5]]);
    const { embedding, warnings } = kernelPca(X, { dims: 3, sigma: 1 });
    expect(embedding.cols).toBe(1);
    expect(warnings.join()).toMatch(/variance in 1 direction only/);
    expect(() => kernelPca(fromRows([[2], [2], [2]]))).toThrow(/all rows are equal/);
    expect(() => kernelPca(X, { dims: 5 })).toThrow(/"dims" is 5/);
    expect(() => kernelPca(X, { sigma: 0 })).toThrow(/kernelPca: option "sigma" must be .* above 0/);
  });

  it("survives JSON", () => {
    const model = kernelPca(blobs, { dims: 2 });
    const back = loadKernelPca(JSON.parse(JSON.stringify(model.model())));
    expect(back.transform(blobs).data).toEqual(model.transform(blobs).data);
  });
});
