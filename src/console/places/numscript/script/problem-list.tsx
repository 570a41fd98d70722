import { toneClass, ToneIcon } from "#console/parts/base/status.tsx";
import type { Problem } from "#console/places/numscript/problems.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

/** The problems of a script. A click moves the cursor to the place. */
export function ProblemList({
  problems,
  onSelect,
}: {
  readonly problems: readonly Problem[];
  readonly onSelect: (problem: Problem) => void;
}) {
  const words = numscriptWords().problems;
  return (
    <ul aria-label={words.title} className="divide-y divide-line rounded-md border border-line">
      {problems.map((problem) => {
        const { from, to, line, code, severity, message } = problem;
        const tone = severity === "error" ? "bad" : "warn";
        return (
          <li key={`${from} ${to} ${code} ${message}`}>
            <button
              type="button"
              onClick={() => onSelect(problem)}
              className="flex w-full items-start gap-2 px-3 py-2 text-left hover:bg-hover pointer-coarse:min-h-11"
            >
              <span className={`mt-0.5 shrink-0 ${toneClass(tone)}`}>
                <ToneIcon tone={tone} size={14} />
              </span>
              <span className="min-w-0 flex-1">
                <span className="sr-only">{words[severity]}: </span>
                <span className="foreign">{message}</span>
              </span>
              <span className="shrink-0 text-note text-muted">{words.line(String(line))}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
