const COLUMNS = 10;

/** A file that DuckDB writes: `cell` is the SQL of column c, from the number i of the row. */
const file =
  (cell, options, ending = "parquet") =>
  async ({ folder }, n) => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const path = `${folder}/rows.${ending}`;
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const cells = Array.from({ length: COLUMNS }, (_, c) => `${cell(c)} as c${c}`);
    await connection.run(`copy (select ${cells.join(", ")} from range(${n}) r(i)) to '${path}' (${options})`);
    connection.closeSync();
    return { files: { path } };
  };

const polars = `
import polars
def run():
    return polars.read_parquet(files["path"]).to_numpy()
def score(A):
    return A[-1].sum()
`;
const reading = {
  size: 5e6,
  sizes: [1.25e6, 2.5e6, 5e6],
  ours: (kindred, { files }) => kindred.readNumbers(files.path),
  score: (_, { X }) => X.data.slice(-COLUMNS).reduce((sum, value) => sum + value, 0),
  peers: { polars },
};

/** A typed table, as every command reads it. */
const typed = {
  ours: (kindred, { files }) => kindred.readTable(files.path),
  score: (_, { columns }) => columns.reduce((sum, { values }) => sum + values.at(-1), 0),
};

export default [
  {
    ...reading,
    ...typed,
    name: (n) => `Parquet, ${n} x ${COLUMNS} doubles into a typed table`,
    data: file((c) => `hash(i, ${c}) / 1e15`, "format parquet"),
    peers: {
      polars: `
import polars
def run():
    return polars.read_parquet(files["path"])
def score(A):
    return sum(A.row(-1))
`,
      pyarrow: `
import pyarrow.parquet
def run():
    return pyarrow.parquet.read_table(files["path"], use_threads=False)
def score(A):
    return sum(A.slice(len(A) - 1).to_pylist()[0].values())
`,
    },
  },
  {
    ...reading,
    ...typed,
    name: (n) => `CSV, ${n} x ${COLUMNS} numbers into a typed table`,
    size: 1e6,
    sizes: [250_000, 500_000, 1e6],
    data: file((c) => `round(hash(i, ${c}) / 1e16, 4)`, "format csv, header", "csv"),
    peers: {
      polars: `
import polars
def run():
    return polars.read_csv(files["path"])
def score(A):
    return sum(A.row(-1))
`,
    },
  },
  {
    ...reading,
    // They do not repeat; row groups of DuckDB's size, Snappy pages.
    name: (n) => `Parquet, ${n} x ${COLUMNS} doubles`,
    data: file((c) => `hash(i, ${c}) / 1e15`, "format parquet"),
  },
  {
    ...reading,
    // Whole numbers of few values: pages with dictionaries.
    name: (n) => `Parquet, ${n} x ${COLUMNS} codes, Zstandard`,
    data: file((c) => `(hash(i, ${c}) % ${10 ** (1 + (c % 3))})::double`, "format parquet, compression zstd"),
  },
];
