import { Check, Copy as CopyIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { partWords } from "#console/parts/part-words.ts";

const SHOWN_MS = 1200;

/** Copies a text, and tells for a moment that it was copied. */
function useCopy(value: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    void navigator.clipboard.writeText(value).then(() => setCopied(true));
  };
  return { isCopied, copy };
}

/** A button that copies a text. `what` names the text for screen readers. */
export function CopyButton({ value, what }: { readonly value: string; readonly what: string }) {
  const { isCopied, copy } = useCopy(value);
  const label = isCopied ? partWords().copied : partWords().copy(what);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      title={label}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-text"
    >
      {isCopied ? <Check aria-hidden size={14} /> : <CopyIcon aria-hidden size={14} />}
    </button>
  );
}

/** A text that is copied by a click on it. */
export function CopyOnClick({
  value,
  title,
  children,
}: {
  readonly value: string;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { isCopied, copy } = useCopy(value);
  return (
    <button
      type="button"
      onClick={copy}
      title={isCopied ? partWords().copied : title}
      className="text-left"
    >
      {children}
    </button>
  );
}
