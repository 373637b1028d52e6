const COLUMNS = 10;

/** Doubles that do not repeat, in row groups of DuckDB's size, Snappy pages. */
async function file({ folder }, n) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const path = `${folder}/rows.parquet`;
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const cells = Array.from({ length: COLUMNS }, (_, c) => `hash(i, ${c}) / 1e15 as c${c}`);
  await connection.run(
    `copy (select ${cells.join(", ")} from range(${n}) r(i)) to '${path}' (format parquet)`,
  );
  connection.closeSync();
  return { files: { path } };
}

/** Whole numbers of few values and words: pages with dictionaries. */
async function codes({ folder }, n) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const path = `${folder}/codes.parquet`;
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const cells = Array.from(
    { length: COLUMNS },
    (_, c) => `(hash(i, ${c}) % ${10 ** (1 + (c % 3))})::double as c${c}`,
  );
  await connection.run(
    `copy (select ${cells.join(", ")} from range(${n}) r(i)) to '${path}' (format parquet, compression zstd)`,
  );
  connection.closeSync();
  return { files: { path } };
}

const polars = `
import polars
def run():
    return polars.read_parquet(files["path"]).to_numpy()
def score(A):
    return A[-1].sum()
`;
const ours = (kindred, { files }) => kindred.readNumbers(files.path);
const score = (_, { X }) => X.data.slice(-COLUMNS).reduce((sum, value) => sum + value, 0);

export default [
  {
    name: (n) => `Parquet, ${n} x ${COLUMNS} doubles`,
    size: 5e6,
    sizes: [1.25e6, 2.5e6, 5e6],
    data: file,
    ours,
    score,
    peers: { polars },
  },
  {
    name: (n) => `Parquet, ${n} x ${COLUMNS} codes, Zstandard`,
    size: 5e6,
    sizes: [1.25e6, 2.5e6, 5e6],
    data: codes,
    ours,
    score,
    peers: { polars },
  },
];
