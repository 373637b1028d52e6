import { expect, test } from "vitest";
import { blobs, cc, fromRows, matrix, multiplyTransposeA } from "../all.ts";
import { clusterPage, dendrogramPlot, html, picture, plane } from "../../src/report/index.ts";

const plain = { converged: true, notes: [], profiles: [], made: [], version: "0" };

test("text from the data cannot become markup", () => {
  const X = fromRows([
    [1, 2, 3],
    [4, 5, 7],
  ]);
  const page = clusterPage({
    ...plain,
    source: "<script>alert(1)</script>.csv",
    method: "kmeans",
    labels: [0, 1],
    sizes: [1, 1],
    X,
    names: ['<img src="x">', "b&c", "d'e"],
    classes: { name: "<b>", values: ["</td>", "y"] },
    notes: [{ code: "method", message: "<svg onload=alert(1)>" }],
    profiles: [0, 1].map((cluster) => ({
      cluster,
      name: "<script>",
      rows: 1,
      share: 0.5,
      words: "",
      differences: [
        {
          column: "<td>",
          here: 1,
          overall: 2,
          effect: 1,
          explained: 1,
          words: '<img src="x"> 1 (overall 2)',
          called: "<img>",
        },
      ],
    })),
  });
  expect(page).not.toMatch(/<script|<img|<svg onload|<b>|<\/td>\s*,/);
  expect(page).toContain("&lt;img src=&quot;x&quot;&gt;");
  expect(html`${"<"}${[1, "&"]}${undefined}`.markup).toBe("&lt;1&amp;");
});

test("the page asks for nothing from elsewhere", () => {
  const { X } = blobs({ rows: 60, features: 4, clusters: 3, seed: 1 });
  const { labels, sizes } = cc(X, { clusters: 3 });
  const page = clusterPage({
    ...plain,
    source: "blobs",
    method: "cc",
    labels,
    sizes,
    X,
    names: ["a", "b", "c", "d"],
  });
  expect(page).toContain("default-src 'none'");
  expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test("2000 points fit in a page of less than 1.5 MB, and more rows are thinned out and said", () => {
  for (const [rows, said] of [
    [2000, false],
    [9000, true],
  ] as const) {
    const { X, labels } = blobs({ rows, features: 10, clusters: 5, seed: 2 });
    const sizes = new Int32Array(5);
    for (const label of labels) sizes[label]++;
    const page = clusterPage({
      ...plain,
      source: "blobs",
      method: "kmeans",
      labels,
      sizes,
      X,
      names: Array.from({ length: 10 }, (_, f) => `f${f}`),
    });
    expect(page.length).toBeLessThan(1.5e6);
    expect(page.includes("rows are drawn")).toBe(said);
  }
});

test("the plane is an orthogonal projection: no distance grows", () => {
  for (const clusters of [1, 2, 3, 6]) {
    const { X, labels } = blobs({ rows: 80, features: 5, clusters, seed: clusters });
    const names = Array.from({ length: 5 }, (_, f) => `f${f}`);
    const { points, project } = plane(X, names, labels);
    expect(project(X).data).toEqual(points.data);
    const basis = matrix(5, 5);
    for (let f = 0; f < 5; f++) basis.data[6 * f] = 1;
    const origin = project(matrix(1, 5));
    const V = project(basis);
    for (let p = 0; p < V.data.length; p++) V.data[p] -= origin.data[p % 2];
    const VtV = multiplyTransposeA(V, V);
    expect(VtV.data[0]).toBeCloseTo(1, 9);
    expect(VtV.data[1]).toBeCloseTo(0, 9);
    expect(VtV.data[3]).toBeCloseTo(1, 9);
  }
});

test("one and two features are shown as they are", () => {
  const one = plane(fromRows([[3], [4]]), ["x"], [0, 1]);
  expect(one.axes).toEqual(["x", "row"]);
  expect(Array.from(one.points.data)).toEqual([3, 0, 4, 1]);
  const two = plane(
    fromRows([
      [3, 1],
      [4, 2],
    ]),
    ["x", "y"],
    [0, 1],
  );
  expect(two.axes).toEqual(["x", "y"]);
  expect(two.chosen).toBeUndefined();
});

test("a tree that does not come to one root, or has ties at height 0, is drawn whole", () => {
  const merges = [
    { a: 0, b: 1, height: 0, size: 2 },
    { a: 2, b: 3, height: 1, size: 2 },
  ];
  for (const log of [true, false]) {
    const { markup } = dendrogramPlot({ merges, rows: 5, height: "gamma", log }, [0, 0, 1, 1, 2]);
    expect(markup).not.toMatch(/NaN|Infinity|undefined/);
    expect(markup.match(/<path/g)).toHaveLength(2);
  }
});

test("a row far out does not set the range, and one unit is as long on both axes", () => {
  const { X } = blobs({ rows: 200, features: 3, clusters: 2, seed: 4 });
  const draw = (M: typeof X): { places: number[][]; page: string } => {
    const labels = Int32Array.from({ length: 200 }, (_, i) => i % 2);
    const page = clusterPage({
      ...plain,
      source: "t",
      method: "kmeans",
      labels,
      sizes: [100, 100],
      X: M,
      names: ["a", "b", "c"],
    });
    const group = page.slice(page.indexOf('class="points"'), page.indexOf('class="numbers"'));
    return {
      page,
      places: Array.from(group.matchAll(/d="M([\d.-]+) ([\d.-]+)m/g), ([, x, y]) => [Number(x), Number(y)]),
    };
  };
  const usual = draw(X);
  expect(usual.places.length).toBe(200);
  const far = matrix(200, 3, X.data.slice());
  far.data[0] = 1e6;
  const { places, page } = draw(far);
  expect(page).toMatch(/1 row lies\s+far out and is\s+drawn at\s+the edge/);
  const width = (list: number[][]): number => {
    const xs = list.map(([x]) => x).toSorted((a, b) => a - b);
    return xs[190] - xs[10];
  };
  expect(width(places)).toBeGreaterThan(0.2 * width(usual.places));
  for (const [x, y] of places) expect(x >= 0 && x <= 720 && y >= 0 && y <= 460).toBe(true);
});

test("many clusters are numbered, and each has a picture of its own", () => {
  const { X, labels } = blobs({ rows: 500, features: 4, clusters: 25, seed: 2 });
  const found = Int32Array.from(labels);
  const sizes = Array.from({ length: 25 }, (_, k) => found.filter((label) => label === k).length);
  const page = clusterPage({
    ...plain,
    source: "t",
    method: "kmeans",
    labels: found,
    sizes,
    X,
    names: ["a", "b", "c", "d"],
  });
  expect(page.match(/among all rows/g)?.length).toBe(25);
  expect(page.match(/text-anchor="middle">\d+<\/text\s*>/g)?.length).toBe(25);
});

test("typical rows are named, one cluster is one, and classes that no cluster follows are said", () => {
  const page = clusterPage({
    ...plain,
    source: "t.csv",
    method: "kmeans",
    labels: [0, 0],
    sizes: [2],
    names: ["a"],
    profiles: [
      {
        cluster: 0,
        name: "low a",
        rows: 2,
        share: 1,
        words: "",
        differences: [
          {
            column: "a",
            here: 1,
            overall: 2,
            effect: 1,
            explained: 1,
            called: "low a",
            words: "a 1 (overall 2)",
          },
        ],
      },
    ],
    representatives: [{ cluster: 0, typical: [1, 0], borderline: [] }],
    rowName: (row) => ["first", "second"][row],
    classes: { name: "kind", values: ["x", "y"] },
    scores: [["adjusted Rand", 0.02]],
  });
  expect(page).toContain("1 cluster of t.csv");
  expect(page).toMatch(/>second, <.span>\s*<span[^>]*>first</);
  expect(page).toMatch(/No cluster\s+agrees with your classes \(adjusted Rand index 0\.02\): give hints/);
});

test("clusters that hide each other in every plane are shown by a layout, others in a plane", () => {
  const wide = blobs({ rows: 300, features: 20, clusters: 8, deviation: 2, box: 5, seed: 2 });
  const names = Array.from({ length: 20 }, (_, f) => `c${f}`);
  const many = picture(wide.X, names, wide.labels);
  expect(many.layout!.inPlane).toBeGreaterThan(0.1);
  expect(many.layout!.strangers).toBeLessThanOrEqual(0.5 * many.layout!.inPlane);
  expect(many.chosen).toContain("not to scale");
  const page = clusterPage({
    ...plain,
    source: "blobs",
    method: "kmeans",
    labels: wide.labels,
    sizes: new Int32Array(8).fill(38),
    X: wide.X,
    names,
  });
  expect(page).toContain("neighbour layout");
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
  // Two clusters lie apart in the plane of their means.
  const two = wide.labels.map((label) => Number(label > 3));
  const apart = blobs({ rows: 300, features: 20, clusters: 2, deviation: 2, box: 5, seed: 2 });
  expect(picture(apart.X, names, apart.labels).layout).toBeUndefined();
  // Labels that mean nothing hide each other everywhere.
  const drawn = two.map((_, i) => (i * 7919) % 3);
  expect(picture(apart.X, names, drawn).layout).toBeUndefined();
});

test("the trust has its probability, and one cluster differs from nothing", () => {
  const X = fromRows(Array.from({ length: 40 }, (_, i) => [i % 7, (i * 3) % 11, (i * 5) % 13]));
  const about = (cluster: number) => ({
    cluster,
    name: "like row 1",
    rows: 20,
    share: 0.5,
    words: "",
    differences: [
      { column: "a", words: "a: 100 % at least 0 (100 % overall)", effect: 0, explained: 0 } as never,
    ],
  });
  const trust = { word: "none", probability: 0.98, why: "no border is clear" } as const;
  const common = { ...plain, source: "x.csv", method: "auto", X, names: ["a", "b", "c"], trust };
  const one = clusterPage({ ...common, labels: Array(40).fill(0), sizes: [40], profiles: [about(0)] });
  expect(one).toContain("Trust: no clear groups; no border is clear.");
  expect(one).not.toContain("What makes each cluster differ");
  expect(one).toContain("The plane of the first two principal components.");
  const two = clusterPage({
    ...common,
    labels: Array.from({ length: 40 }, (_, i) => i % 2),
    sizes: [20, 20],
    profiles: [about(0), about(1)],
  });
  expect(two).toContain("What makes each cluster differ");
  expect(two).toContain("The plane through the means of the clusters");
});
