import { aligned } from "../aligned.ts";
import { endText } from "../ending.ts";
import type { Spread } from "../learners.ts";
import type { GeometryReport, MlcaReport } from "./mlca.ts";
import type { SyntheticCell } from "./mlcaSynthetic.ts";
import { type Column, PROTOCOL, SYNTHETIC, TABLES, TITLES } from "./mlcaTables.ts";
import { TWO_CLASS_METHODS, type TwoClassMethod } from "./mlcaTwoClass.ts";
import type { SegmentationReport } from "./segmentationRun.ts";

/** The report as lines for people. */
export function mlcaText(report: MlcaReport): string[] {
  const { tables, geometries, twoClass, segmentation } = report;
  return [
    ...head(report),
    ...tables.flatMap((table) => [...tableText(table, report), ""]),
    ...geometryText(geometries),
    ...twoClassText(twoClass),
    ...segmentation.flatMap((one) => [...segmentationText(one, report), ""]),
    ...endText(report),
  ];
}

function head({ seeds, quick, labelNoise, pairs }: MlcaReport): string[] {
  const lmnn = quick ? `LMNN on ${PROTOCOL.quickLmnnRows} rows` : "LMNN on all rows of the first seed only";
  return [
    "Law, Yu, Cord and Xing 2016, closed-form training of Mahalanobis distance for supervised clustering",
    "",
    "Protocol of Tables 1 to 3: the text gives neither the places nor the spread of the six Gaussians nor the share of",
    `noisy rows. Here: the centres of the data set "law", deviation 0.25 (its MLCA makes no error without noise), and`,
    `${(100 * labelNoise).toFixed(1)} % of the labels of training, validation and test rows replaced, a share that is set so that`,
    "MLCA gives the 0.07 of Table 1. That number is calibration, not evidence; all others are results.",
    `Seeds 1 to ${seeds}; ${pairs} must-links and ${pairs} cannot-links drawn from all pairs (the text takes all of them);`,
    (quick
      ? "every method by its defaults; "
      : "Lajugie, ITML and PCCA with the settings that a validation set chose, all else by default; ") +
      `${lmnn}.`,
    "Delta: squared Frobenius distance of the normalised partition matrices, k-means with 10 starts on test rows;",
    "mean and standard deviation over seeds. Times: seconds of one fit.",
    "",
  ];
}

function tableText({ table, cells }: GeometryReport, { published }: MlcaReport): string[] {
  const rows = cells.map((cell) => {
    const text = published[table][cell.column];
    return [
      TITLES[cell.column],
      text === undefined ? "" : text.delta.toFixed(2),
      cell.delta.mean.toFixed(3),
      deviationText(cell.delta),
      text?.seconds === undefined ? "" : String(text.seconds),
      cell.column === "euclidean" ? "" : secondsText(cell.seconds.mean),
      String(cell.delta.count),
    ];
  });
  return [
    `Table ${table}: ${SYNTHETIC[table].title}`,
    ...aligned([["", "Delta, text", "ours", "+-", "seconds, text", "ours", "seeds"], ...rows]).map(indent),
    ...cells.flatMap(cellNotes).map(indent),
  ];
}

function cellNotes({ column, settings, unconverged, rows }: SyntheticCell): string[] {
  const chosen = Object.entries(settings).map(([name, times]) => `${name} (${times})`);
  return [
    ...(chosen.length > 0 ? [`${TITLES[column]}: ${chosen.join("; ")}`] : []),
    ...(rows === undefined ? [] : [`${TITLES[column]}: trained on ${rows} rows`]),
    ...(unconverged > 0 ? [`${TITLES[column]}: ${unconverged} fits did not converge`] : []),
  ];
}

function geometryText(reports: readonly GeometryReport[]): string[] {
  if (reports.length === 0) return [];
  const lines = [
    "Delta with the Gaussians at other positions, means over up to 3 seeds: the text does not give the positions",
    "",
  ];
  for (const name of new Set(reports.map(({ geometry }) => geometry))) {
    const here = reports.filter(({ geometry }) => geometry === name);
    const columns = here[0].cells.map(({ column }) => column);
    const delta = (report: GeometryReport, column: Column): string =>
      report.cells.find((cell) => cell.column === column)?.delta.mean.toFixed(2) ?? "";
    lines.push(
      indent(here[0].title),
      ...aligned([
        ["", ...columns.map((column) => TITLES[column])],
        ...TABLES.flatMap((table) =>
          here
            .filter((one) => one.table === table)
            .map((one) => [`Table ${table}`, ...columns.map((c) => delta(one, c))]),
        ),
      ]).map((line) => indent(indent(line))),
      "",
    );
  }
  return lines;
}

const TWO_CLASS_TITLES: Readonly<Record<TwoClassMethod, string>> = {
  univariate: "univariate, sign",
  mlca: "multivariate",
  spectral: "its singular vectors",
  uncentred: "not centred",
  euclidean: "Euclidean",
};

function twoClassText({ splits, sets, skipped }: MlcaReport["twoClass"]): string[] {
  if (sets.length === 0 && skipped.length === 0) return [];
  const rows = sets.map(({ name, losses }) => [
    name,
    ...TWO_CLASS_METHODS.map((method) => {
      const { delta, rand, accuracy } = losses[method];
      return `${delta.mean.toFixed(2)} / ${rand.mean.toFixed(3)} / ${accuracy.mean.toFixed(3)}`;
    }),
  ]);
  return [
    `Two classes, univariate (section 4) against multivariate MLCA: Delta / Rand loss / accuracy, means over ${splits}`,
    "stratified halves, columns scaled by the training half; the univariate regression has a constant column",
    ...(rows.length === 0
      ? []
      : aligned([["", ...TWO_CLASS_METHODS.map((method) => TWO_CLASS_TITLES[method])], ...rows]).map(indent)),
    ...skipped.map(({ set, why }) => indent(`${set}: skipped, ${why}`)),
    "",
  ];
}

/** Beside the columns of Tables 1 to 3. */
const SEGMENTATION_TITLES = { univariate: "univariate MLCA", ncuts: "Ncuts" } as const;

function segmentationText(
  { task, title, trainImages, testImages, rows, features, cells }: SegmentationReport,
  { publishedSegmentation }: MlcaReport,
): string[] {
  const photographs = task === "foreground";
  const lines = cells.map(({ method, delta, randLoss, seconds }) => {
    const text = publishedSegmentation[method];
    return [
      SEGMENTATION_TITLES[method as keyof typeof SEGMENTATION_TITLES] ?? TITLES[method as Column],
      delta === undefined ? "failed" : `${delta.mean.toFixed(2)} (${errorText(delta)})`,
      randLoss === undefined ? "" : `${randLoss.mean.toFixed(3)} (${errorText(randLoss)})`,
      method === "euclidean" || method === "ncuts" ? "" : secondsText(seconds),
      ...(photographs
        ? [text, text].map((one, i) =>
            one === undefined
              ? ""
              : (i === 0 ? one.horses : one.flowers).map((value) => value.toFixed(2)).join(" / "),
          )
        : []),
    ];
  });
  const heading = ["", "Delta", "Rand loss", "seconds"];
  if (photographs) heading.push("text, Horses", "text, Flowers");
  return [
    `Segmentation: ${title}; ${trainImages} generated training images stacked (${rows} pixels x ${features}),`,
    `${testImages} test images clustered one by one; means (standard errors) over test images`,
    ...(photographs ? ["(the text's Delta and Rand loss are for photographs and other features)"] : []),
    ...aligned([heading, ...lines]).map(indent),
    ...cells.flatMap(({ method, failure }) =>
      failure === undefined ? [] : [indent(`${method}: ${failure}`)],
    ),
  ];
}

const indent = (line: string): string => `  ${line}`.trimEnd();
const deviationText = ({ deviation, count }: Spread): string => (count > 1 ? deviation.toFixed(3) : "");
const errorText = ({ deviation, count }: Spread): string => (deviation / Math.sqrt(count)).toFixed(2);
const secondsText = (value: number): string => (value < 0.0995 ? value.toFixed(4) : value.toFixed(2));
