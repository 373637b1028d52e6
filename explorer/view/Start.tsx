import type { JSX } from "preact";
import { dropFile, openKept, openNamed } from "../app/data/data.ts";
import { forgetFile, keptFiles } from "../app/data/keptFiles.ts";
import type { Settings } from "../app/settings.ts";
import { caution, problem, wantedFile } from "../app/known.ts";
import { Icon, Logo } from "./icons.tsx";

interface Example {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly options?: Readonly<Record<string, number>>;
  readonly part?: Partial<Settings>;
}

const EXAMPLES: readonly Example[] = [
  { name: "wine", title: "Wine", text: "178 wines, 13 measurements, three cultivars" },
  {
    name: "wine",
    title: "Wine, learned metric",
    text: "Which measurements separate the cultivars",
    part: { method: "ccml", clusters: 3 },
  },
  { name: "iris", title: "Iris", text: "150 flowers of three species" },
  {
    name: "iris",
    title: "Iris, with hints",
    text: "Two species look like one until ten hints separate them",
    part: {
      method: "hints",
      same: [
        [51, 86],
        [54, 97],
        [105, 122],
        [103, 129],
        [1, 40],
      ],
      different: [
        [51, 105],
        [1, 51],
        [1, 105],
        [77, 147],
        [83, 133],
      ],
    },
  },
  {
    name: "gmm-outliers",
    title: "Noisy features",
    text: "Three groups hidden among features of noise",
    part: { method: "ccml", clusters: 3, own: { rebuildGraph: true } },
  },
  {
    name: "moons",
    title: "Two moons",
    text: "Curved clusters, where k-means fails",
    part: { method: "spectral", clusters: 2 },
  },
  {
    name: "blobs",
    title: "100 000 points",
    text: "Ten dimensions, eight clusters",
    options: { rows: 100_000, features: 10, clusters: 8, deviation: 2 },
    part: { method: "kmeans", clusters: 8, own: { restarts: 2 } },
  },
];

/** The page before there is any data. */
export function Start(): JSX.Element {
  return (
    <main class="start" id="main" tabIndex={-1}>
      <Logo />
      <h1>Which of these belong together?</h1>
      <p class="lead">
        Open a table, watch its rows form clusters, tell Kindred which are the same and which are not, and see
        what it learns from that.
      </p>
      {wantedFile.value !== undefined && (
        <p class="note" role="status">
          This address is about <strong>{wantedFile.value}</strong>. The file never left your computer, so
          please drop it again to go on where you were.
        </p>
      )}
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value.text}
        </p>
      )}
      {caution.value !== undefined && (
        <p class="problem" role="alert">
          {caution.value}
        </p>
      )}
      <FileDrop />
      <Kept />
      <h2>Or look at an example</h2>
      <ul class="examples">
        {EXAMPLES.map(({ name, title, text, options, part }) => (
          <li key={title}>
            <button type="button" onClick={() => openNamed(name, options, part)}>
              <strong>{title}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
      <Privacy />
    </main>
  );
}

/** Files that a person agreed to keep here. */
function Kept(): JSX.Element | null {
  if (keptFiles.value.length === 0) return null;
  return (
    <section class="kept" aria-labelledby="kept-title">
      <h2 id="kept-title">Kept in this browser</h2>
      <ul>
        {keptFiles.value.map((name) => (
          <li key={name} class="row">
            <button type="button" onClick={() => openKept(name)}>
              {name}
            </button>
            <button type="button" class="plain" onClick={() => void forgetFile(name)}>
              Forget <span class="unseen">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FileDrop(): JSX.Element {
  return (
    <label class="drop">
      <Icon name="file" />
      <span>
        <strong>Drop a table here</strong> or choose a file
      </span>
      <small>
        CSV, TSV, Excel, JSON, NDJSON, Parquet, Arrow, NumPy or LIBSVM, also gzipped; or a session
        (.kindred.json)
      </small>
      <input
        type="file"
        class="unseen"
        onChange={(event) => {
          const input = event.currentTarget;
          const file = input.files?.[0];
          if (file !== undefined) void dropFile(file);
          input.value = "";
        }}
      />
    </label>
  );
}

export function Privacy(): JSX.Element {
  return (
    <p class="privacy">
      <Icon name="lock" />
      Nothing leaves your browser: everything is computed in this page, which may not talk to any other
      server.
    </p>
  );
}
