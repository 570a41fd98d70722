import { Fragment, type ReactNode } from "react";
import { visible } from "#console/parts/language/visible.ts";

/**
 * The address of an account, in which the last segment is the strongest. Long addresses lose their middle, not their end: the whole address is
 * shown on hover.
 */
export function Address({ address }: { readonly address: string }) {
  const cut = address.lastIndexOf(":") + 1;
  return (
    <span
      className="foreign inline-flex max-w-full min-w-0 font-mono text-note"
      title={visible(address)}
    >
      {cut > 0 && <span className="truncate text-muted">{address.slice(0, cut)}</span>}
      <span className="shrink-0 truncate">{address.slice(cut)}</span>
    </span>
  );
}

/** A text that somebody else has written: it is shown as it is, and keeps its direction to itself. */
export const Foreign = ({ children }: { readonly children: string }): ReactNode => (
  <span dir="auto" className="foreign">
    <Breakable text={visible(children)} />
  </span>
);

/** The longest word that a browser lays out at once, in characters. */
const WORD_LENGTH_MAX = 64;
const LONG_WORD = new RegExp(String.raw`\S{${WORD_LENGTH_MAX + 1}}`, "u");
const PIECES = new RegExp(String.raw`\S{1,${WORD_LENGTH_MAX}}|\s+`, "gu");

/**
 * A text in which long words have places where lines may end. Without them, the time of a browser's layout grows with the square of the length
 * of a word, to many seconds for 10,000 letters.
 */
export function Breakable({ text }: { readonly text: string }): ReactNode {
  if (!LONG_WORD.test(text)) return text;
  const pieces = text.match(PIECES) ?? [];
  return pieces.map((piece, place) => (
    // oxlint-disable-next-line react/no-array-index-key -- A piece is its place.
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}
