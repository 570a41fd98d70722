import { Code } from "lucide-react";
import { useState } from "react";
import { CodeWindow } from "./code-window.tsx";
import type { WireRequest } from "#console/api/client.ts";
import { Button } from "#console/parts/base/button.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** A button that shows requests, as `toWire` makes them, as code: what a page reads. Forms show themselves what they send. */
export function AsCode({ requests }: { readonly requests: readonly WireRequest[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        <Code aria-hidden size={14} />
        <span className="max-sm:sr-only">{partWords().code.open}</span>
      </Button>
      <CodeWindow requests={isOpen ? requests : undefined} onClose={() => setOpen(false)} />
    </>
  );
}
