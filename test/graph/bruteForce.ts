import type { Matrix } from "../../src/matrix/index.ts";

/** The k nearest rows of every row by sorting all distances: the definition, and the reference of src/graph/nearestNeighbors.ts. */
export function bruteForce(X: Matrix, k: number): { indices: number[]; distances: number[] } {
  const indices: number[] = [];
  const distances: number[] = [];
  for (let i = 0; i < X.rows; i++) {
    const others: { j: number; distance: number }[] = [];
    for (let j = 0; j < X.rows; j++) {
      if (j === i) continue;
      let distance = 0;
      for (let f = 0; f < X.cols; f++) {
        const difference = X.data[i * X.cols + f] - X.data[j * X.cols + f];
        distance += difference * difference;
      }
      others.push({ j, distance });
    }
    others.sort((a, b) => a.distance - b.distance || a.j - b.j);
    for (const { j, distance } of others.slice(0, k)) {
      indices.push(j);
      distances.push(distance);
    }
  }
  return { indices, distances };
}
