import { random, type Random } from "../core/index.ts";
import { knownNames, optionError, rule } from "../core/internal.ts";

/** @param groups the fewest rows; `usual`: the number of rows that the example was made for */
const rulesOf = (groups: number, usual: number) => ({
  rows: rule.integer({ min: groups, default: usual }),
  seed: rule.seed,
  /** Adds the hidden grouping as the last column, `group`. */
  group: rule.flag(false),
});

export type ExampleOptions = rule.OptionsOf<ReturnType<typeof rulesOf>>;

interface Example {
  readonly description: string;
  readonly rows: number;
  readonly groups: number;
  /** The cells of a row of group `k`, by column. */
  readonly row: (draw: Random, k: number, i: number) => Record<string, string>;
  /** Rows of a group follow each other. */
  readonly series?: boolean;
}

const NOTES = [
  ["nutty", "cocoa", "round", "mild", "toast", "caramel", "soft", "hazel"],
  ["citrus", "floral", "bright", "tea", "berry", "clean", "lime", "peach"],
  ["smoky", "heavy", "dark", "earth", "spice", "cedar", "ash", "clove"],
];

/** Realistic tables: columns of mixed kinds, gaps, marks of missing cells, and a hidden grouping. */
export const examples: Readonly<Record<string, Example>> = {
  customers: {
    description: "customers of a service: plans, money, dates, levels and gaps",
    rows: 400,
    groups: 4,
    row(draw, k, i) {
      const spend = Math.exp([2.1, 3.4, 4.6, 6.3][k] + 0.35 * draw.normal());
      return {
        customer_id: `C${100000 + 7 * i}`,
        plan: mostly(draw, ["free", "basic", "pro", "business"], k, 0.2),
        signed_up: day(19000 + 1200 * draw.uniform()),
        monthly_spend: draw.uniform() < 0.04 ? "" : money(spend),
        visits: String(Math.max(0, Math.round([6, 14, 25, 11][k] + [2, 4, 6, 3][k] * draw.normal()))),
        tickets:
          draw.uniform() < 0.05
            ? "NA"
            : String(Math.max(0, Math.round([1, 2, 3, 9][k] + [0.8, 1.2, 1.5, 2.5][k] * draw.normal()))),
        satisfaction: mostly(draw, ["low", "medium", "high"], [1, 2, 2, 0][k], 0.35),
        newsletter: draw.uniform() < [0.2, 0.6, 0.7, 0.3][k] ? "yes" : "no",
        country: mostly(draw, ["DE", "FR", "IT", "NL", "US"], Math.floor(5 * draw.uniform()), 0),
      };
    },
  },
  sensors: {
    description: "readings of a machine in three modes, with gaps and faults",
    rows: 600,
    groups: 3,
    series: true,
    row(draw, k, i) {
      const seen = (text: string, gap = 0.06): string => (draw.uniform() < gap ? "" : text);
      return {
        time: stamp(1_760_000_000 + 600 * i),
        temperature: seen(`${([38, 61, 74][k] + 2.5 * draw.normal()).toFixed(1)} °C`),
        vibration: seen(Math.exp([-1.6, 0.1, 1.3][k] + 0.3 * draw.normal()).toFixed(3)),
        pressure: draw.uniform() < 0.04 ? "-999" : ([1.02, 3.4, 3.1][k] + 0.15 * draw.normal()).toFixed(2),
        current: seen(([4, 22, 31][k] + 2 * draw.normal()).toFixed(1)),
        valve: mostly(draw, ["closed", "half", "open"], k, 0.1),
        humidity: (45 + 8 * draw.normal()).toFixed(0),
      };
    },
  },
  tasting: {
    description: "coffees grouped by taste, with six columns that only depend on the batch",
    rows: 150,
    groups: 3,
    row(draw, k, i) {
      const batch = draw.integer(3);
      const cells: Record<string, string> = {
        coffee: `lot-${String(i + 1).padStart(3, "0")}`,
        notes: phrase(draw, NOTES[k], 4),
        bitter: ([2, 3, 7][k] + 0.7 * draw.normal()).toFixed(1),
        sour: ([2, 7, 3][k] + 0.7 * draw.normal()).toFixed(1),
      };
      for (let f = 1; f <= 6; f++) cells[`probe_${f}`] = (10 + 4 * batch + draw.normal()).toFixed(2);
      return cells;
    },
  },
  articles: {
    description: "headlines and their embeddings, vectors of length 1",
    rows: 300,
    groups: 5,
    row(draw, k) {
      const words = [
        ["rates", "bank", "inflation", "market", "bonds"],
        ["goal", "coach", "league", "match", "season"],
        ["vaccine", "trial", "patients", "hospital", "virus"],
        ["launch", "orbit", "telescope", "planet", "rocket"],
        ["recipe", "flavour", "kitchen", "chef", "harvest"],
      ][k];
      const vector = Array.from({ length: 48 }, (_, f) => 0.32 * draw.normal() + (f % 5 === k ? 0.55 : 0));
      const length = Math.hypot(...vector);
      return {
        title: phrase(draw, words, 4),
        embedding: `[${vector.map((value) => (value / length).toFixed(4)).join(", ")}]`,
      };
    },
  },
};

/**
 * An example table as the text of a CSV file. The rows are drawn from a seed; groups have different sizes and
 * the rows are in random order, except for `sensors`, whose rows are in the order of time.
 */
export function exampleText(name: string, options: ExampleOptions = {}): string {
  if (!Object.hasOwn(examples, name))
    throw optionError(
      `there is no example "${name}"; ${knownNames(name, Object.keys(examples), "examples", (text) => text)}`,
    );
  const { rows: usual, groups, row, series } = examples[name];
  const { rows, seed, group } = rule.resolveOptions("exampleText", options, rulesOf(groups, usual));
  const draw = random(seed);
  const shares = Array.from({ length: groups }, (_, k) => 1 / (k + 2));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const member = Int32Array.from({ length: rows }, (_, i) => {
    let left = ((i + 0.5) / rows) * total;
    return shares.findIndex((share) => (left -= share) < 0);
  });
  if (series !== true) draw.shuffle(member);
  const cells = Array.from(member, (k, i) => ({
    ...row(draw, k, i),
    ...(group && { group: String(k + 1) }),
  }));
  const header = Object.keys(cells[0]);
  return [header, ...cells.map((line) => Object.values<string>(line))]
    .map((line) => line.map((cell) => (cell.includes(",") ? `"${cell}"` : cell)).join(","))
    .join("\n")
    .concat("\n");
}

/** The level of the group, with another one in a share of the rows. */
function mostly(draw: Random, levels: readonly string[], k: number, others: number): string {
  return levels[draw.uniform() < others ? draw.integer(levels.length) : k];
}

function money(value: number): string {
  const [whole, cents] = value.toFixed(2).split(".");
  return `$${whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

function day(days: number): string {
  return new Date(86_400_000 * Math.floor(days)).toISOString().slice(0, 10);
}

function stamp(seconds: number): string {
  return new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ");
}

function phrase(draw: Random, words: readonly string[], count = 3): string {
  return Array.from(draw.sample(Math.min(count, words.length), words.length), (at) => words[at]).join(" ");
}
