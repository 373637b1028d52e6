/**
 * Colours of clusters. The first eight are Okabe and Ito's, which people with colour vision deficiencies can
 * distinguish (a grey that is visible on both backgrounds replaces black); further colours go round the
 * circle by the golden angle.
 */
export function clusterColor(cluster: number): string {
  if (cluster < FIRST.length) return FIRST[cluster];
  const hue = Math.round((cluster * 137.508) % 360);
  const light = 42 + 14 * (cluster % 2);
  return `hsl(${hue} 62% ${light}%)`;
}

const FIRST = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b8a800"];

/**
 * Clusters also differ by their mark: colour is never the only sign. Path data around the origin, radius r.
 */
export function clusterMark(cluster: number, r: number): string {
  const at = (value: number): string => String(Math.round(value * 100) / 100);
  switch (cluster % 5) {
    case 0:
      return `m${at(-r)} 0a${at(r)} ${at(r)} 0 1 0 ${at(2 * r)} 0a${at(r)} ${at(r)} 0 1 0 ${at(-2 * r)} 0`;
    case 1:
      return `m${at(-0.9 * r)} ${at(-0.9 * r)}h${at(1.8 * r)}v${at(1.8 * r)}h${at(-1.8 * r)}z`;
    case 2:
      return `m0 ${at(-1.25 * r)}l${at(1.15 * r)} ${at(2 * r)}h${at(-2.3 * r)}z`;
    case 3:
      return `m0 ${at(-1.3 * r)}l${at(1.3 * r)} ${at(1.3 * r)}l${at(-1.3 * r)} ${at(1.3 * r)}l${at(-1.3 * r)} ${at(-1.3 * r)}z`;
    default:
      return `m0 ${at(1.25 * r)}l${at(1.15 * r)} ${at(-2 * r)}h${at(-2.3 * r)}z`;
  }
}
