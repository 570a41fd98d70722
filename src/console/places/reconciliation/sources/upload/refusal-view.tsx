import { CircleAlert } from "lucide-react";
import { Foreign } from "#console/parts/base/address.tsx";
import { visible } from "#console/parts/language/visible.ts";
import type { StatementRefusal } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** Lines that are shown before the one at fault, and characters of a line around the fault. */
const LINES_BEFORE = 2;
const AROUND_MAX = 48;

/** Why a file is refused, and the place in the file, with the lines around it where the file is at hand. */
export function RefusalView({
  refusal,
  text,
}: {
  readonly refusal: Pick<StatementRefusal, "message" | "line" | "column">;
  /** The beginning of the file. */
  readonly text?: string;
}) {
  const { message, line, column } = refusal;
  const words = sourceWords().refusal;
  return (
    <div role="alert" className="mb-4 flex gap-3 rounded-md border border-line bg-bad-soft p-4">
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1 space-y-1">
        <p className="font-medium">{words.title}</p>
        <p>
          <Foreign>{message}</Foreign>
        </p>
        {line !== undefined && (
          <p className="text-muted">
            {words.place(String(line), column === undefined ? "" : String(column))}
          </p>
        )}
        {line !== undefined && text !== undefined && (
          <Excerpt text={text} line={line} column={column ?? 1} />
        )}
      </div>
    </div>
  );
}

function Excerpt({
  text,
  line,
  column,
}: {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}) {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[line - 1] === undefined) return null;
  const first = Math.max(line - 1 - LINES_BEFORE, 0);
  const cut = Math.max(column - 1 - AROUND_MAX, 0);
  const shown = lines.slice(first, line).map((each) => each.slice(cut, cut + 2 * AROUND_MAX));
  return (
    <pre
      tabIndex={0} // oxlint-disable-line jsx-a11y/no-noninteractive-tabindex -- Keys scroll a long line.
      aria-label={sourceWords().refusal.excerpt}
      className="foreign mt-2 overflow-x-auto rounded-md bg-canvas p-2 font-mono text-note"
    >
      {shown.map((each, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- A line is its place.
        <span key={first + place} className="block">
          <span aria-hidden className="mr-3 inline-block w-8 text-right text-faint select-none">
            {first + place + 1}
          </span>
          {visible(each)}
        </span>
      ))}
      <span aria-hidden className="block text-bad">
        <span className="mr-3 inline-block w-8" />
        {" ".repeat(Math.max(column - 1 - cut, 0))}▲
      </span>
    </pre>
  );
}
