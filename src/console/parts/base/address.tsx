import type { ReactNode } from "react";

/**
 * The address of an account, in which the last segment is the strongest. Long addresses lose their middle, not their end: the whole address is
 * shown on hover.
 */
export function Address({ address }: { readonly address: string }) {
  const cut = address.lastIndexOf(":") + 1;
  return (
    <span className="foreign inline-flex max-w-full min-w-0 font-mono text-note" title={address}>
      {cut > 0 && <span className="truncate text-muted">{address.slice(0, cut)}</span>}
      <span className="shrink-0 truncate">{address.slice(cut)}</span>
    </span>
  );
}

/** A text that somebody else has written: it is shown as it is, and keeps its direction to itself. */
export const Foreign = ({ children }: { readonly children: string }): ReactNode => (
  <span dir="auto" className="foreign">
    {visible(children)}
  </span>
);

/** Characters that change the direction of a line, and control characters. */
const HIDDEN = /\p{Cc}|\p{Bidi_Control}/gu;

/** A text in which hidden characters are shown by their code points. */
export const visible = (text: string): string =>
  text.replaceAll(HIDDEN, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
