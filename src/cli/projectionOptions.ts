import { Option } from "commander";
import { optionError } from "../core/errors.ts";
import type {
  Aml,
  AmlOptions,
  Fme,
  FmeOptions,
  KernelSpaceOptions,
  Naml,
  NamlOptions,
  RpcaOm,
  RpcaOmOptions,
} from "../embed/index.ts";
import { finiteNumber, integerAtLeast, nameList } from "./arguments.ts";
import { kernelSpaceOf, kernelSpaceOptions } from "./kernelSpaceOptions.ts";

/** AML, NAML, RPCA-OM and FME on the command line, as clusterings and as embeddings. */
type Own = Readonly<Record<string, unknown>>;
type Lines = (readonly [string, string])[];

export function restartsOption(): Option {
  return new Option("--restarts <n>", "starts of k-means (default: 10)").argParser(integerAtLeast(1));
}

export function amlFlags(limit = "100"): Option[] {
  return [
    new Option(
      "--lambda <l>",
      "from whitened rows (small) to k-means (large), in mean eigenvalues (default: 1)",
    ).argParser(finiteNumber),
    restartsOption(),
    new Option("--max-iterations <n>", `at most this many (default: ${limit})`).argParser(integerAtLeast(1)),
  ];
}

export function amlGiven(own: Own): Omit<AmlOptions, "clusters"> {
  const { lambda, restarts, maxIterations } = own as unknown as AmlOptions;
  return { lambda, restarts, maxIterations };
}

export function amlLines({ objective, embedding }: Aml): Lines {
  const count = embedding.cols;
  return [["projection", `${count} discriminants explain ${objective.toFixed(3)} of ${count} indicators`]];
}

export function namlFlags(): Option[] {
  return [
    ...amlFlags("30, with --kernel 100"),
    new Option(
      "--sigmas <widths>",
      "of the kernels to mix (default: 1/4 to 4 times the median distance)",
    ).argParser((text: string) => nameList(text).map(finiteNumber)),
    ...kernelSpaceOptions("a mixture, learned"),
  ];
}

/** The kernel that is given; without, a mixture is learned. */
export function namlKernel(own: Own): KernelSpaceOptions | undefined {
  const kernel = kernelSpaceOf(own);
  if (kernel !== undefined && own.sigmas !== undefined) {
    throw optionError(
      "--sigmas are the widths of a mixture that is learned; with --kernel give --kernel-sigma",
    );
  }
  return kernel;
}

export function namlGiven(own: Own): Omit<NamlOptions, "clusters"> {
  const { sigmas, lambda, restarts, maxIterations } = own as unknown as NamlOptions;
  return { sigmas, lambda, restarts, maxIterations };
}

export function namlLines({ weights, mixture, objective, embedding, certificate }: Naml): Lines {
  const parts = Array.from(weights, (weight, k) =>
    weight < 0.005
      ? []
      : [`${(100 * weight).toFixed(0)} % of width ${Number(mixture.sigmas[k].toPrecision(3))}`],
  ).flat();
  return [
    ["kernel", `${parts.join(", ")}; other weights could gain ${certificate.gap.toExponential(1)}`],
    [
      "projection",
      `${embedding.cols} discriminants explain ${objective.toFixed(3)} of ${embedding.cols} indicators`,
    ],
  ];
}

export function rpcaOmFlags(): Option[] {
  return [
    new Option("--tolerance <t>", "least share by which an iteration must lower the objective").argParser(
      finiteNumber,
    ),
    new Option("--max-iterations <n>", "at most this many (default: 500)").argParser(integerAtLeast(1)),
    ...kernelSpaceOptions(),
  ];
}

export function rpcaOmGiven(own: Own): Omit<RpcaOmOptions, "dims"> {
  const { tolerance, maxIterations } = own as unknown as RpcaOmOptions;
  const kernel = kernelSpaceOf(own);
  return { tolerance, maxIterations, ...kernel };
}

export function rpcaOmLines({ embedding, objective, history }: RpcaOm): Lines {
  const fall = 1 - objective / history[0];
  return [
    [
      "plane",
      `${embedding.cols} directions, sum of distances ${Number(objective.toPrecision(8))}, ` +
        `${(100 * fall).toFixed(1)} % below that of the start`,
    ],
  ];
}

export function fmeFlags(): Option[] {
  return [
    new Option("--neighbors <k>", "of the graph (default: 10)").argParser(integerAtLeast(1)),
    new Option("--mu <m>", "weight of the affine function against the graph (default: 0.01)").argParser(
      finiteNumber,
    ),
    new Option("--gamma <g>", "how closely the coordinates follow it (default: 100)").argParser(finiteNumber),
    restartsOption(),
    ...kernelSpaceOptions(),
  ];
}

export function fmeGiven(own: Own): FmeOptions {
  const { neighbors, mu, gamma, restarts } = own as FmeOptions;
  const kernel = kernelSpaceOf(own);
  return { neighbors, mu, gamma, restarts, ...kernel };
}

export function fmeLines({ embedding, certificate }: Fme): Lines {
  return [["embedding", `${embedding.cols} coordinates, residual ${certificate.residual.toExponential(1)}`]];
}
