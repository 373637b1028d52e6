import { Option } from "commander";
import type { CpdUml, CpdUmlOptions } from "../embed/index.ts";
import { finiteNumber, integerAtLeast } from "./arguments.ts";
import { kernelSpaceOf, kernelSpaceOptions } from "./kernelSpaceOptions.ts";

/** CPD-UML on the command line, as a clustering and as an embedding. */
export function cpdUmlFlags(): Option[] {
  return [
    new Option("--sigma <s>", "width of the field (default: twice the rms distance from the mean)").argParser(
      finiteNumber,
    ),
    new Option("--lambda <l>", "stiffness of the field (default: the squared number of rows / 40)").argParser(
      finiteNumber,
    ),
    new Option("--choose <how>", "what finds a sigma and lambda that are not given").choices([
      "default",
      "stability",
    ]),
    new Option("--indicator <form>", "a partition, or the singular vectors that relax it").choices([
      "discrete",
      "relaxed",
    ]),
    new Option("--iterate <which>", "of least objective, or the last one (default: best)").choices([
      "best",
      "last",
    ]),
    new Option("--no-center", "do not subtract the means of the columns"),
    new Option("--landmarks <m>", "centres of the field (default: all rows, or 500 beyond 3000)").argParser(
      integerAtLeast(1),
    ),
    new Option("--restarts <n>", "starts of k-means in each iteration (default: 5)").argParser(
      integerAtLeast(1),
    ),
    new Option("--max-iterations <n>", "at most this many (default: 30)").argParser(integerAtLeast(1)),
    ...kernelSpaceOptions(),
  ];
}

export function cpdUmlGiven(own: Readonly<Record<string, unknown>>): Omit<CpdUmlOptions, "clusters"> {
  const { sigma, lambda, choose, indicator, iterate, center, landmarks, restarts, maxIterations } =
    own as unknown as CpdUmlOptions;
  const kernel = kernelSpaceOf(own);
  return {
    sigma,
    lambda,
    choose,
    indicator,
    iterate,
    center,
    landmarks,
    restarts,
    maxIterations,
    ...kernel,
  };
}

export function cpdUmlLines(fit: CpdUml): (readonly [string, string])[] {
  const { setting, certificate, grid } = fit;
  const short = (value: number): string => String(Number(value.toPrecision(5)));
  const ends: Record<CpdUml["outcome"], string> = {
    converged: "the partition repeats itself",
    cycle: `a cycle of ${fit.period} partitions`,
    limit: "the limit of iterations",
    stopped: "stopped",
  };
  const best = grid.reduce((most, { stability }) => Math.max(most, stability), -Infinity);
  return [
    [
      "field",
      `sigma ${short(setting.sigma)} (${setting.sigmaFrom}), lambda ${short(setting.lambda)} (${setting.lambdaFrom})` +
        (setting.landmarks > 0 ? `, ${setting.landmarks} landmarks` : ""),
    ],
    ["ended by", `${ends[fit.outcome]}; iterate ${fit.returned} of ${fit.iterations} is returned`],
    ["proof", `${certificate.kind}, gradient of the field ${certificate.gradient.toExponential(1)}`],
    ...(grid.length > 0
      ? ([
          [
            "choice",
            `the stablest of ${grid.length} settings, adjusted Rand ${best.toFixed(3)} between halves`,
          ],
        ] as const)
      : []),
  ];
}
