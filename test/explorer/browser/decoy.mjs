/** Two columns that tell the groups apart, six that tell something else loudly, a name and a text. */
export function decoy(rows = 150) {
  let state = 7;
  const next = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const normal = () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
  const truth = [];
  const lines = Array.from({ length: rows }, (_, i) => {
    const group = i % 3;
    truth.push(group);
    const other = next() < 0.5 ? -1 : 1;
    const told = [Math.cos(2.1 * group) + 0.25 * normal(), Math.sin(2.1 * group) + 0.25 * normal()];
    const loud = Array.from({ length: 6 }, (_, j) => (j % 2 ? other : -other) * 1.3 + 0.4 * normal());
    const cells = [...told, ...loud].map((cell) => cell.toFixed(4));
    return `item ${i},${cells.join(",")},"notes about item ${i}, in words of group ${group}"`;
  });
  const header = "item,taste,smell,n1,n2,n3,n4,n5,n6,notes";
  return { text: [header, ...lines].join("\n"), truth };
}
