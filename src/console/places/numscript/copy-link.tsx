import { Check, Link2 } from "lucide-react";
import { useEffect, useState } from "react";
import { linkTo } from "./link.ts";
import type { Values, Work } from "./types.ts";
import { numscriptWords } from "./words.ts";
import { Button } from "#console/parts/base/button.tsx";

const SHOWN_MS = 1500;

/** Copies a link that shows the script and its values to somebody else. */
export function CopyLink({ work, values }: { readonly work: Work; readonly values: Values }) {
  const words = numscriptWords().link;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const { ledger, script } = work;
  const link = script === "" ? undefined : linkTo({ ledger, script, values }, location.origin);
  const isTooLong = script !== "" && link === undefined;
  return (
    <Button
      kind="quiet"
      disabled={link === undefined}
      title={isTooLong ? words.tooLong : undefined}
      onClick={() => void navigator.clipboard.writeText(link ?? "").then(() => setCopied(true))}
    >
      {isCopied ? <Check aria-hidden size={14} /> : <Link2 aria-hidden size={14} />}
      <span className="max-sm:sr-only">{isCopied ? words.copied : words.copy}</span>
    </Button>
  );
}
