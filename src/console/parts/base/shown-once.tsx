import { CopyButton } from "./copy.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** A secret or a link that is never shown again, to read and to copy. */
export const ShownOnce = ({ value, what }: { readonly value: string; readonly what: string }) => (
  <div className="space-y-1">
    <p className="text-muted">{what}</p>
    <p className="flex items-start justify-between gap-2 rounded-md border border-line-strong bg-sunken p-3">
      <code className="min-w-0 font-mono text-note break-all" aria-label={what}>
        {value}
      </code>
      <CopyButton value={value} what={what} />
    </p>
    <p className="text-note text-warn">{partWords().shownOnce}</p>
  </div>
);
