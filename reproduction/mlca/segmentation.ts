import { random, type Random } from "kindred";
import { matrix, type Matrix } from "kindred/matrix";

/**
 * Small images with known segments, instead of the photographs of Law et al., section 5.2: regions of
 * coloured texture under a light that falls off across the picture. Light and position vary more than the
 * textures differ, so the nearest pixels in feature space lie in the same light.
 */
export interface LabelledImage {
  readonly width: number;
  readonly height: number;
  /** One row of features per pixel, row by row. */
  readonly X: Matrix;
  /** The texture of each pixel, an index into `TEXTURES`. */
  readonly labels: Int32Array;
}

/** Colour, then a wave of some frequency, direction and height, and grain (standard deviation of each pixel). */
export const TEXTURES = [
  { color: [0.56, 0.5, 0.42], frequency: 1.9, angle: 0.3, height: 0.05, grain: 0.05 },
  { color: [0.5, 0.52, 0.46], frequency: 0.5, angle: 1.2, height: 0.05, grain: 0.03 },
  { color: [0.47, 0.5, 0.53], frequency: 1.2, angle: 2.0, height: 0.08, grain: 0.03 },
  { color: [0.53, 0.47, 0.5], frequency: 0.8, angle: 2.7, height: 0.03, grain: 0.07 },
  { color: [0.49, 0.56, 0.45], frequency: 1.6, angle: 1.6, height: 0.1, grain: 0.04 },
  { color: [0.56, 0.46, 0.46], frequency: 2.4, angle: 0.9, height: 0.04, grain: 0.02 },
] as const;

export const FEATURES = [
  "red",
  "green",
  "blue",
  "intensity",
  "red nearby",
  "green nearby",
  "blue nearby",
  "across",
  "down",
  "contrast nearby",
  "x",
  "y",
] as const;

const WIDTH = 36;
const HEIGHT = 28;
export const PIXELS: number = WIDTH * HEIGHT;
/** The change of brightness from the middle of the image to its edge. */
const LIGHT = 0.45;
const WINDOW = 2; // neighbourhoods are 5 x 5

/** A blob of texture 0 in front of texture 1. */
export function foregroundImage(seed: number): LabelledImage {
  const draw = random(seed);
  const [cx, cy] = [WIDTH * (0.3 + 0.4 * draw.uniform()), HEIGHT * (0.3 + 0.4 * draw.uniform())];
  const radius = HEIGHT * (0.22 + 0.14 * draw.uniform());
  const waves = [2, 3, 5].map((n) => ({ n, phase: 2 * Math.PI * draw.uniform(), height: 0.25 / n }));
  return render(draw, (x, y) => {
    const angle = Math.atan2(y - cy, x - cx);
    const edge = waves.reduce((sum, { n, phase, height }) => sum + height * Math.cos(n * angle + phase), 1);
    return Math.hypot(x - cx, y - cy) < radius * edge ? 0 : 1;
  });
}

/** Three of the textures, each around one of three points. */
export function collage(seed: number): LabelledImage {
  const draw = random(seed);
  const chosen = draw.sample(3, TEXTURES.length);
  // Points 120 degrees apart, so no region is tiny.
  const turn = 2 * Math.PI * draw.uniform();
  const points = Array.from(chosen, (texture, c) => ({
    texture,
    x: WIDTH * (0.5 + 0.3 * Math.cos(turn + (2 * Math.PI * c) / 3)),
    y: HEIGHT * (0.5 + 0.3 * Math.sin(turn + (2 * Math.PI * c) / 3)),
  }));
  return render(draw, (x, y) => {
    const away = points.map((point) => Math.hypot(x - point.x, y - point.y));
    return points[away.indexOf(Math.min(...away))].texture;
  });
}

function render(draw: Random, textureAt: (x: number, y: number) => number): LabelledImage {
  const size = WIDTH * HEIGHT;
  const labels = new Int32Array(size);
  const channels = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const gain = 0.8 + 0.4 * draw.uniform();
  const turn = 2 * Math.PI * draw.uniform();
  const phases = TEXTURES.map(() => 2 * Math.PI * draw.uniform());
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * WIDTH + x;
      const texture = textureAt(x, y);
      labels[at] = texture;
      const { color, frequency, angle, height, grain } = TEXTURES[texture];
      const across = (2 * x) / WIDTH - 1;
      const down = (2 * y) / HEIGHT - 1;
      const light = gain * (1 + LIGHT * (Math.cos(turn) * across + Math.sin(turn) * down));
      const wave =
        height * Math.cos(frequency * (x * Math.cos(angle) + y * Math.sin(angle)) + phases[texture]);
      channels.forEach((channel, c) => (channel[at] = light * (color[c] + wave) + grain * draw.normal()));
    }
  }
  return { width: WIDTH, height: HEIGHT, X: features(channels), labels };
}

function features(channels: readonly Float64Array[]): Matrix {
  const size = WIDTH * HEIGHT;
  // The brightest channel: a mean of the three would be collinear with them.
  const intensity = channels[0].map((_, p) => Math.max(channels[0][p], channels[1][p], channels[2][p]));
  const near = channels.map(windowMeans);
  const nearIntensity = windowMeans(intensity);
  const nearSquare = windowMeans(intensity.map((value) => value * value));
  const columns = [
    ...channels,
    intensity,
    ...near,
    steps(intensity, 1, 0),
    steps(intensity, 0, 1),
    nearSquare.map((square, p) => Math.sqrt(Math.max(0, square - nearIntensity[p] ** 2))),
    intensity.map((_, p) => (p % WIDTH) / WIDTH),
    intensity.map((_, p) => Math.floor(p / WIDTH) / HEIGHT),
  ];
  const X = matrix(size, columns.length);
  columns.forEach((column, f) => column.forEach((value, p) => (X.data[p * X.cols + f] = value)));
  return X;
}

/** Mean over the window, cut at the border of the image. */
function windowMeans(plane: Float64Array): Float64Array {
  return plane.map((_, p) => {
    const [x, y] = [p % WIDTH, Math.floor(p / WIDTH)];
    let sum = 0;
    let count = 0;
    for (let v = Math.max(0, y - WINDOW); v <= Math.min(HEIGHT - 1, y + WINDOW); v++) {
      for (let u = Math.max(0, x - WINDOW); u <= Math.min(WIDTH - 1, x + WINDOW); u++) {
        sum += plane[v * WIDTH + u];
        count++;
      }
    }
    return sum / count;
  });
}

/** |difference| of the two neighbours on either side. */
function steps(plane: Float64Array, dx: number, dy: number): Float64Array {
  return plane.map((_, p) => {
    const [x, y] = [p % WIDTH, Math.floor(p / WIDTH)];
    const at = (u: number, v: number): number =>
      plane[Math.min(HEIGHT - 1, Math.max(0, v)) * WIDTH + Math.min(WIDTH - 1, Math.max(0, u))];
    return Math.abs(at(x + dx, y + dy) - at(x - dx, y - dy));
  });
}
