/** Made by the build (vite.config.ts): code that few tables need, loaded when it is. */
declare module "virtual:later-neighbors" {
  export function load(): Promise<void>;
}

declare module "virtual:later-models" {
  export function load(): Promise<void>;
}

declare module "virtual:later-mixed" {
  export function load(): Promise<void>;
}

declare module "virtual:later-rules" {
  export function load(): Promise<void>;
}

declare module "virtual:later-words" {
  export function load(): Promise<void>;
}
