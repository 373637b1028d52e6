/**
 * The share of neighbours in the own cluster beyond chance.
 *
 * @param neighbors `count` for each row
 */
export function neighborPurity(
  neighbors: Int32Array,
  count: number,
  labels: Int32Array,
  sizes: Int32Array,
): number {
  const n = labels.length;
  let same = 0;
  neighbors.forEach((j, p) => (same += Number(labels[j] === labels[Math.floor(p / count)])));
  const chance = sizes.reduce((sum, size) => sum + (size / n) ** 2, 0);
  return (same / (n * count) - chance) / (1 - chance);
}
