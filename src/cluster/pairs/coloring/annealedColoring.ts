import type { Random } from "../../../core/index.ts";
import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * K colours by simulated annealing (D. S. Johnson, C. R. Aragon, L. A. McGeoch and C. Schevon, 1991): from
 * random colours, nodes in turn take another colour, always if that adds no conflicting edge and otherwise
 * with probability exp(-more / T), T falling from 0.45 to 0.15 conflicts. With slow cooling, colourings
 * planted in graphs at the densities where back-tracking and tabu search fail appear between these two
 * temperatures.
 */
export function annealedColoring(graph: ExclusionGraph, K: number, moves: number, stream: Random) {
  const { count, offsets, neighbors } = graph;
  const colors = Int32Array.from({ length: count }, () => stream.integer(K));
  const taken = new Int32Array(count * K);
  let conflicts = 0;
  let most = 0;
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      taken[v * K + colors[neighbors[e]]]++;
      if (neighbors[e] < v && colors[neighbors[e]] === colors[v]) conflicts++;
    }
    most = Math.max(most, offsets[v + 1] - offsets[v]);
  }
  const accept = new Float64Array(most + 1);
  const draw = fastUniform(1 + stream.integer(2 ** 31 - 1));
  const sweeps = Math.ceil(moves / count);
  for (let sweep = 0; sweep < sweeps && conflicts > 0; sweep++) {
    const T = HOT * (COLD / HOT) ** (sweep / sweeps);
    for (let more = 0; more <= most; more++) accept[more] = Math.exp(-more / T);
    for (let v = 0; v < count; v++) {
      const old = colors[v];
      let k = Math.floor(draw() * (K - 1));
      if (k >= old) k++;
      const more = taken[v * K + k] - taken[v * K + old];
      if (more > 0 && draw() >= accept[more]) continue;
      colors[v] = k;
      conflicts += more;
      for (let e = offsets[v]; e < offsets[v + 1]; e++) {
        const at = neighbors[e] * K;
        taken[at + old]--;
        taken[at + k]++;
      }
      if (conflicts === 0) break;
    }
  }
  return { colors, conflicts };
}

const HOT = 0.45;
const COLD = 0.15;

/** G. Marsaglia's xorshift (2003), 32 bits: good enough for a hundred million moves, and fast. */
function fastUniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
