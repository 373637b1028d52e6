import type { Camera, Size } from "./camera.ts";
import { pointSize } from "./marks.ts";
import type { Renderer } from "./renderer.ts";

const VERTEX = `#version 300 es
in vec2 a_from;
in vec2 a_to;
in uint a_code;
uniform float u_mix;
uniform vec2 u_center;
uniform vec2 u_scale;
uniform float u_size;
uniform vec3 u_palette[16];
flat out vec4 v_color;
flat out float v_size;
flat out float v_ring;
void main() {
  vec2 place = mix(a_from, a_to, u_mix);
  gl_Position = vec4((place - u_center) * u_scale, 0.0, 1.0);
  bool chosen = (a_code & 96u) != 0u;
  v_size = chosen ? u_size * 1.5 : u_size;
  v_ring = (a_code & 32u) != 0u ? 1.0 : (a_code & 64u) != 0u ? 2.0 : 0.0;
  gl_PointSize = v_size;
  v_color = vec4(u_palette[a_code & 15u], (a_code & 16u) != 0u ? 0.12 : 0.88);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 v_color;
flat in float v_size;
flat in float v_ring;
uniform vec3 u_ring;
out vec4 color;
void main() {
  float radius = v_size * 0.5;
  float from = length(gl_PointCoord - 0.5) * v_size;
  float cover = clamp(radius - from, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 tint = v_color.rgb;
  float alpha = v_color.a;
  if (v_ring > 0.0) {
    float edge = radius * 0.30;
    bool rim = from > radius - edge;
    bool gap = v_ring > 1.5 && from < radius * 0.35;
    if (rim || gap) tint = u_ring;
    alpha = 1.0;
  }
  color = vec4(tint * alpha, alpha) * cover;
}`;

/** Points as WebGL primitives: panning and zooming change two uniforms, not the data. */
export function webglRenderer(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext): Renderer {
  const program = link(gl);
  const uniform = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(program, name);
  const places = {
    mix: uniform("u_mix"),
    center: uniform("u_center"),
    scale: uniform("u_scale"),
    size: uniform("u_size"),
    palette: uniform("u_palette"),
    ring: uniform("u_ring"),
  };
  const buffers = { from: gl.createBuffer(), to: gl.createBuffer(), code: gl.createBuffer() };
  let count = 0;
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  const fill = (name: "from" | "to" | "code", data: Float32Array | Uint8Array): void => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    const place = gl.getAttribLocation(program, `a_${name}`);
    gl.enableVertexAttribArray(place);
    if (name === "code") gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_BYTE, 0, 0);
    else gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
  };

  return {
    kind: "WebGL",
    place(from, to) {
      fill("from", from);
      fill("to", to);
      count = to.length / 2;
    },
    paint: (codes) => fill("code", codes),
    colors(palette) {
      gl.uniform3fv(places.palette, palette.subarray(0, 48));
      gl.uniform3fv(places.ring, palette.subarray(45, 48));
    },
    draw({ x, y, zoom }: Camera, { width, height }: Size, mix: number) {
      const ratio = Math.min(2, devicePixelRatio || 1);
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
      }
      gl.viewport(0, 0, w, h);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (count === 0) return;
      gl.uniform1f(places.mix, mix);
      gl.uniform2f(places.center, x, y);
      gl.uniform2f(places.scale, (2 * zoom) / width, (2 * zoom) / height);
      gl.uniform1f(places.size, pointSize(count) * ratio);
      gl.drawArrays(gl.POINTS, 0, count);
    },
    dispose() {
      for (const buffer of Object.values(buffers)) gl.deleteBuffer(buffer);
      gl.deleteProgram(program);
    },
  };
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
