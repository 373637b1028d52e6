/** Made by the build (vite.config.ts): approximate neighbours, whose code is loaded when it is needed. */
declare module "virtual:approximate-neighbors" {
  export function loadNeighbors(): Promise<void>;
}
