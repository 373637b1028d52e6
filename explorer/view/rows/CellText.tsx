import type { JSX } from "preact";

/** A cell as people know it: a picture, a link that opens on request, or its words. */
export function CellText({
  text,
  whole = text,
  small = false,
}: {
  readonly text: string;
  readonly whole?: string;
  readonly small?: boolean;
}): JSX.Element {
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(whole)) {
    return <img class={small ? "picture small" : "picture"} src={whole} alt="" />;
  }
  if (/^https?:\/\/\S+$/.test(whole)) {
    return (
      <a href={whole} target="_blank" rel="noreferrer noopener">
        {text}
      </a>
    );
  }
  return <>{text}</>;
}
