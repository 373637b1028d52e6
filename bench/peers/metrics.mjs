// Learned metrics beside metric-learn and scikit-learn, with what each reached: NCA from the identity and full MMC, both to be
// as large as possible; LMNN's objective over all triplets, as small as possible; the others by their times alone. The cases
// of segment and usps20 need these sets (KINDRED_DATA, by default ../shared/datasets).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { shared } from "../shared.mjs";

const FOLDER = shared("datasets");

/** Arguments that scikit-learn has renamed since metric-learn 0.7 are translated. */
const METRIC_LEARN = `
import metric_learn._util as util
for name in ("check_array", "check_X_y"):
    def renamed(*args, check=getattr(util, name), **options):
        if "force_all_finite" in options:
            options["ensure_all_finite"] = options.pop("force_all_finite")
        return check(*args, **options)
    setattr(util, name, renamed)
`;

/** Every `step`-th row of a table whose last column is the class; `zscore` scales its columns. */
function table({ matrix }, file, { step = 1, zscore = false } = {}) {
  const bytes = readFileSync(join(FOLDER, file));
  const lines = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().trim().split(/\r?\n/);
  const rows = lines.slice(1).flatMap((line, i) => (i % step === 0 ? [line.split(",")] : []));
  const names = [...new Set(rows.map((cells) => cells.at(-1)))];
  const [n, d] = [rows.length, rows[0].length - 1];
  const X = matrix(n, d, Float64Array.from(rows.flatMap((cells) => cells.slice(0, -1).map(Number))));
  const scaled = zscore ? d : 0;
  for (let f = 0; f < scaled; f++) {
    const values = rows.map((_, i) => X.data[i * d + f]);
    const mean = values.reduce((sum, value) => sum + value, 0) / n;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n) || 1;
    values.forEach((value, i) => (X.data[i * d + f] = (value - mean) / spread));
  }
  return { X, y: Int32Array.from(rows, (cells) => names.indexOf(cells.at(-1))) };
}

/** Ten shapes of 8 x 8 cells, moved and blurred, whole numbers from 0 to 16 as pixels are. */
function shapes({ matrix, random }, n) {
  const { normal, uniform } = random(4);
  const shape = Float64Array.from({ length: 640 }, () => (uniform() < 0.4 ? 12 * uniform() : 0));
  const y = Int32Array.from({ length: n }, (_, i) => i % 10);
  const cells = Float64Array.from({ length: n * 64 }, (_, p) => {
    const value = shape[64 * y[Math.floor(p / 64)] + (p % 64)];
    return Math.max(0, Math.min(16, Math.round(value + (value > 0 ? 7 : 5) * normal())));
  });
  return { X: matrix(n, 64, cells), y };
}

/** 200 pairs of each kind, the same on both sides. */
function pairsOf(y) {
  const n = y.length;
  const [mustLink, cannotLink] = [[], []];
  for (let e = 1; mustLink.length < 200 || cannotLink.length < 200; e++) {
    const [i, j] = [(e * 7919) % n, (e * 10_007 + 13) % n];
    const list = y[i] === y[j] ? mustLink : cannotLink;
    if (i !== j && list.length < 200) list.push([i, j]);
  }
  return { mustLink, cannotLink };
}
const PAIRS = `
alike, apart, e = [], [], 1
while len(alike) < 200 or len(apart) < 200:
    i, j = e * 7919 % len(y), (e * 10007 + 13) % len(y)
    found = alike if y[i] == y[j] else apart
    if i != j and len(found) < 200:
        found.append((i, j))
    e += 1
pairs = X[np.array(alike + apart)]
same = np.r_[np.ones(200), -np.ones(200)]
`;

const NCA = {
  ours: (kindred, { X, y }) => kindred.nca(X, y, { init: "identity" }),
  score: (_, { objective }) => objective,
  peers: {
    "scikit-learn": `
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.metrics import pairwise_distances
def run():
    return NeighborhoodComponentsAnalysis(init="identity").fit(X, y)
def score(model):
    D = pairwise_distances(X @ model.components_.T) ** 2
    np.fill_diagonal(D, np.inf)
    E = np.exp(D.min(1, keepdims=True) - D)
    return ((E * (y[:, None] == y)).sum(1) / E.sum(1)).mean()
`,
  },
};
const MMC = {
  ours: (kindred, { X, y }) => kindred.mmc(X, { ...pairsOf(y), regularization: 0 }),
  score: (_, { J }) => J,
  peers: {
    "metric-learn": `
from metric_learn import MMC
${METRIC_LEARN}
${PAIRS}
def run():
    return MMC().fit(pairs, same)
def score(model):
    v = (pairs[:, 0] - pairs[:, 1]) @ model.components_.T
    p = (v * v).sum(1)
    return np.sqrt(p[same < 0]).sum() / np.sqrt(p[same > 0].sum())
`,
  },
};

const LMNN = {
  ours: (kindred, { X, y }) => kindred.lmnn(X, y),
  score: (_, { objective }) => objective,
  peers: {
    "metric-learn": `
from metric_learn import LMNN
from sklearn.metrics import pairwise_distances
${METRIC_LEARN}
def run():
    return LMNN(n_neighbors=3).fit(X, y)
def score(model):
    D = pairwise_distances(X @ model.components_.T) ** 2
    reached = 0
    for t in model._select_targets(X, y).T:
        near = D[np.arange(len(X)), t]
        reached += 0.5 * near.sum() + 0.5 * np.maximum(0, 1 + near[:, None] - D)[y[:, None] != y].sum()
    return reached
`,
  },
};
const CLOUDS = {
  size: 2310,
  sizes: [1155, 2310, 4620],
  data: ({ clouds }, n) => clouds(n, 18, { clusters: 7, spread: 1 }),
};
/** Metrics of which only the time is compared: from pairs or from labels. */
const TIMED = [
  [
    "ITML",
    (kindred, X, y) => kindred.itml(X, pairsOf(y)),
    "from metric_learn import ITML as M",
    "pairs, same",
  ],
  ["SCML", (kindred, X, y) => kindred.scml(X, y), "from metric_learn import SCML_Supervised as M", "X, y"],
  ["LFDA", (kindred, X, y) => kindred.lfda(X, y), "from metric_learn import LFDA as M", "X, y"],
  ["RCA", (kindred, X, y) => kindred.rca(X, y), "from metric_learn import RCA as M", "X, y"],
].map(([title, ours, imports, data]) => ({
  name: (n) => `${title}, ${n} x 18, 7 classes`,
  ...CLOUDS,
  ours: (kindred, { X, y }) => ours(kindred, X, y),
  peers: {
    "metric-learn": `
${imports}
${METRIC_LEARN}
${PAIRS}
def run():
    return M().fit(${data})
`,
  },
}));

export default [
  ...TIMED,
  {
    ...LMNN,
    name: (n) => `LMNN, ${n} x 18, 7 classes`,
    ...CLOUDS,
  },
  {
    ...NCA,
    name: (n) => `NCA, ${n} x 64 pixels`,
    size: 600,
    sizes: [300, 600, 1200],
    data: shapes,
  },
  {
    ...MMC,
    name: (n) => `MMC, ${n} x 18, 200 + 200 pairs`,
    ...CLOUDS,
  },
  ...onSet(
    "segment.csv",
    { ...MMC, name: () => "MMC, segment, 200 + 200 pairs", size: 2310 },
    { zscore: true },
  ),
  ...onSet("segment.csv", { ...LMNN, name: () => "LMNN, segment", size: 2310 }, { zscore: true }),
  ...onSet(
    "usps20.csv.gz",
    { ...NCA, name: () => "NCA, every third digit of usps20", size: 618 },
    { step: 3 },
  ),
];

/** A case on a set, if it is there. */
function onSet(file, one, options) {
  if (!existsSync(join(FOLDER, file))) return [];
  return [{ ...one, data: (tools) => table(tools, file, options) }];
}
