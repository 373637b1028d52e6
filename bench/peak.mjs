// The most that fused multiply-adds reach on one thread: a loop of independent ones in registers, which reads and writes no
// memory.
import { main as compileAssemblyScript } from "assemblyscript/asc";
import { timed } from "./measure.mjs";

const ROUNDS = 1_000_000;
const CHAINS = 12;
const source = (chains) => `
  export function loop(rounds: i32, at: usize): void {
    const a = v128.load_splat<f64>(at, 512), b = v128.load_splat<f64>(at, 520);
    let ${chains.map((c, i) => `${c} = v128.load(at, ${16 * i})`).join(", ")};
    for (let i = 0; i < rounds; i++) {
      ${chains.map((c) => `${c} = f64x2.relaxed_madd(a, b, ${c});`).join(" ")}
    }
    ${chains.map((c, i) => `v128.store(at, ${c}, ${16 * i});`).join(" ")}
  }`;
let prepared;

/**
 * CPU seconds in which this process would do `operations` (a multiply-add is two) at the peak of its relaxed engine, which
 * must be in use: Node 20 has the instruction only then.
 */
export async function atPeak(operations) {
  prepared ??= prepare();
  const loop = await prepared;
  let best = Infinity;
  for (let run = 0; run < 10; run++) {
    best = Math.min(best, timed(() => loop(ROUNDS, 0)).cpu);
  }
  return (best * operations) / (ROUNDS * CHAINS * 4);
}

async function prepare() {
  const binary = await binaryOf(source(Array.from({ length: CHAINS }, (_, i) => `c${i}`)));
  return new WebAssembly.Instance(new WebAssembly.Module(binary)).exports.loop;
}

async function binaryOf(text) {
  let binary;
  const { error } = await compileAssemblyScript(
    "peak.ts -O3 --runtime stub --enable simd,relaxed-simd --initialMemory 1 --outFile peak.wasm".split(" "),
    {
      readFile: (path) => (path === "peak.ts" ? text : null),
      writeFile: (path, contents) => {
        if (path === "peak.wasm") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw error;
  return binary;
}
