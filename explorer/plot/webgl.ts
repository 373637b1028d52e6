import { DIMMED, pointSize, STATE_BITS } from "./marks.ts";
import { FEW, sizeFor, someOf, type AnyCanvas, type Renderer } from "./renderer.ts";

const VERTEX = `#version 300 es
in vec2 a_from;
in vec2 a_to;
in uint a_code;
in uint a_weight;
uniform float u_mix;
uniform vec2 u_center;
uniform vec2 u_scale;
uniform float u_size;
uniform vec3 u_palette[16];
flat out vec4 v_color;
flat out float v_size;
flat out float v_ring;
flat out uint v_shape;
void main() {
  vec2 place = mix(a_from, a_to, u_mix);
  gl_Position = vec4((place - u_center) * u_scale, 0.0, 1.0);
  uint state = a_code >> 6;
  bool chosen = state > 1u;
  v_size = u_size * (1.0 + float(a_weight) / 16.0) * (chosen ? 1.5 : 1.0);
  v_ring = chosen ? float(state - 1u) : 0.0;
  v_shape = (a_code >> 4) & 3u;
  gl_PointSize = v_size;
  v_color = vec4(u_palette[a_code & 15u], state == 1u ? 0.14 : 0.88);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 v_color;
flat in float v_size;
flat in float v_ring;
flat in uint v_shape;
uniform vec3 u_ring;
uniform bool u_round;
out vec4 color;
// The distance of a position from the centre, scaled so that the border of the shape is at 0.5.
float reach(vec2 p) {
  if (v_shape == 1u) return max(abs(p.x), abs(p.y)) * 1.12;
  if (v_shape == 2u) return max(p.y, (2.0 * abs(p.x) - p.y - 0.5) / 2.24 + 0.5);
  if (v_shape == 3u) return (abs(p.x) + abs(p.y) - 0.5) / 1.42 + 0.5;
  return length(p);
}
void main() {
  float radius = v_size * 0.5;
  float from = u_round ? reach(gl_PointCoord - 0.5) * v_size : 0.0;
  float cover = clamp(radius - from, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 tint = v_color.rgb;
  float alpha = v_color.a;
  if (v_ring > 0.0) {
    bool rim = from > radius * 0.7;
    bool gap = v_ring > 1.5 && from < radius * 0.35;
    if (rim || gap) tint = u_ring;
    alpha = 1.0;
  }
  color = vec4(tint * alpha, alpha) * cover;
}`;

const FORMATS = { from: 2, to: 2, code: 1, weight: 1 } as const;
type Attribute = keyof typeof FORMATS;

/** Points as WebGL primitives: panning and zooming change two uniforms, not the data. */
export function webglRenderer(canvas: AnyCanvas, gl: WebGL2RenderingContext): Renderer {
  const program = link(gl);
  const place = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(program, `u_${name}`);
  const at = { mix: place("mix"), center: place("center"), scale: place("scale"), size: place("size") };
  const [palette, ring, round] = [place("palette"), place("ring"), place("round")];
  const points = vertices(gl, program);
  // Each trail is a line from the old position of a row to the new one: two vertices, of which the first
  // stays.
  const trails = vertices(gl, program);
  let [count, painted] = [0, 0];
  let trailed = false;
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  return {
    place(from, to, origin) {
      points.fill("from", from);
      points.fill("to", to);
      count = to.length / 2;
      points.shuffle(count > FEW ? count : 0);
      trailed = origin !== undefined;
      if (origin === undefined) return;
      trails.fill("from", interleaved(origin, from, 2));
      trails.fill("to", interleaved(origin, to, 2));
    },
    paint(codes, weights) {
      painted = codes.length;
      points.fill("code", codes);
      points.fill("weight", weights ?? new Uint8Array(codes.length));
      if (!trailed) return;
      const faint = codes.map((code) => (code & ~STATE_BITS) | DIMMED);
      trails.fill("code", interleaved(faint, faint, 1));
      trails.fill("weight", new Uint8Array(2 * codes.length));
    },
    colors(colors) {
      gl.uniform3fv(palette, colors.subarray(0, 48));
      gl.uniform3fv(ring, colors.subarray(45, 48));
    },
    draw(frame) {
      const { camera, size, ratio, mix, some } = frame;
      const [w, h] = sizeFor(canvas, frame);
      gl.viewport(0, 0, w, h);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (count === 0 || painted !== count) return;
      gl.uniform1f(at.mix, mix);
      gl.uniform2f(at.center, camera.x, camera.y);
      gl.uniform2f(at.scale, (2 * camera.zoom) / size.width, (2 * camera.zoom) / size.height);
      gl.uniform1f(at.size, pointSize(count) * ratio);
      if (trailed) {
        trails.bind();
        gl.uniform1i(round, 0);
        gl.drawArrays(gl.LINES, 0, 2 * count);
        gl.uniform1i(round, 1);
        gl.drawArrays(gl.POINTS, 0, 2 * count);
      }
      points.bind();
      gl.uniform1i(round, 1);
      if (some && count > FEW) gl.drawElements(gl.POINTS, FEW, gl.UNSIGNED_INT, 0);
      else gl.drawArrays(gl.POINTS, 0, count);
    },
    dispose() {
      points.dispose();
      trails.dispose();
      gl.deleteProgram(program);
    },
  };
}

interface Vertices {
  fill(name: Attribute, data: Float32Array | Uint8Array): void;
  /** Prepares a random sample of the vertices; none for a count of 0. */
  shuffle(count: number): void;
  bind(): void;
  dispose(): void;
}

function vertices(gl: WebGL2RenderingContext, program: WebGLProgram): Vertices {
  const array = gl.createVertexArray();
  const buffers = new Map<Attribute, WebGLBuffer>();
  const elements = gl.createBuffer();
  let shuffled = 0;
  return {
    shuffle(count) {
      if (count === shuffled) return;
      shuffled = count;
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, someOf(count), gl.STATIC_DRAW);
    },
    fill(name, data) {
      gl.bindVertexArray(array);
      const buffer = buffers.get(name) ?? gl.createBuffer();
      buffers.set(name, buffer);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      const place = gl.getAttribLocation(program, `a_${name}`);
      gl.enableVertexAttribArray(place);
      if (FORMATS[name] === 1) gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_BYTE, 0, 0);
      else gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
    },
    bind: () => gl.bindVertexArray(array),
    dispose() {
      for (const buffer of buffers.values()) gl.deleteBuffer(buffer);
      gl.deleteBuffer(elements);
      gl.deleteVertexArray(array);
    },
  };
}

/** Interleaves the vertices of two arrays, `width` numbers each. */
function interleaved<T extends Float32Array | Uint8Array>(first: T, second: T, width: number): T {
  const both = new (first.constructor as new (length: number) => T)(2 * first.length);
  for (let p = 0; p < first.length; p++) {
    const vertex = Math.floor(p / width);
    both[2 * vertex * width + (p % width)] = first[p];
    both[(2 * vertex + 1) * width + (p % width)] = second[p];
  }
  return both;
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
    throw new Error(`the shaders do not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}
