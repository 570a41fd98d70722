import type { ReactNode } from "react";
import { toneClass, ToneIcon, type Tone } from "#console/parts/base/status.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatDuration } from "#console/parts/time/duration.ts";

/** Something that took time: from when to when, in milliseconds since the epoch. */
export interface GanttBar {
  readonly fromMs: number;
  /** Absent for what has not ended. */
  readonly toMs?: number | undefined;
  readonly tone: Tone;
  /** Whether nothing was done in this time, but to wait. */
  readonly isWait?: boolean;
}

export interface GanttRow {
  readonly id: string;
  readonly label: ReactNode;
  /** How deep the row stands below another one. */
  readonly depth: number;
  readonly bar: GanttBar;
  /** What belongs beside the duration, such as a number of attempts. */
  readonly note?: string | undefined;
}

/**
 * What went on when: a row for each thing, with a bar over the time that it took. The durations stand beside the bars as text, so that the
 * bars say nothing that is not read out.
 */
export function Gantt({
  label,
  rows,
  nowMs,
  openWord,
}: {
  readonly label: string;
  readonly rows: readonly GanttRow[];
  /** The end of what has not ended. */
  readonly nowMs: number;
  /** What stands behind the duration of what has not ended. */
  readonly openWord: string;
}) {
  const { startMs, lengthMs } = spanOf(rows, nowMs);
  const place = (ms: number): number => ((ms - startMs) / lengthMs) * 100;
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <Axis lengthMs={lengthMs} />
      <ol aria-label={label} className="divide-y divide-line">
        {rows.map(({ id, label: name, depth, bar, note }) => {
          const endMs = bar.toMs ?? nowMs;
          const left = place(bar.fromMs);
          const length = formatDuration(endMs - bar.fromMs, locale);
          return (
            <li
              key={id}
              className="grid min-h-9 grid-cols-[minmax(8rem,18rem)_1fr_13rem] items-center gap-3 px-3 py-1.5 max-sm:grid-cols-[1fr_auto]"
            >
              <span
                className={`flex min-w-0 items-center gap-1.5 ${depth > 0 ? "pl-5 text-muted" : "font-medium"}`}
              >
                <span className={`shrink-0 ${toneClass(bar.tone)}`}>
                  <ToneIcon tone={bar.tone} size={14} />
                </span>
                <span className="min-w-0 truncate">{name}</span>
              </span>
              <span
                aria-hidden
                className="relative h-3 max-sm:order-last max-sm:col-span-2 max-sm:h-2"
              >
                <span
                  className={`absolute inset-y-0 min-w-[3px] rounded-sm ${FILLS[bar.isWait === true ? "waits" : bar.tone]} ${bar.toMs === undefined ? "opacity-70" : ""}`}
                  style={{
                    left: `min(${left}%, calc(100% - 3px))`,
                    width: `${Math.max(place(endMs) - left, 0)}%`,
                  }}
                />
              </span>
              <span className="figures truncate text-right text-note text-muted">
                {note === undefined ? "" : `${note} · `}
                {length}
                {bar.toMs === undefined ? ` ${openWord}` : ""}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

const FILLS: Readonly<Record<Tone, string>> = {
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
  waits: "bg-line-strong",
  neutral: "bg-accent",
};

/** Marks between the start and the end, at a quarter of the time each. */
const MARKS = [0, 1, 2, 3, 4] as const;

const Axis = ({ lengthMs }: { readonly lengthMs: number }) => (
  <div
    aria-hidden
    className="grid grid-cols-[minmax(8rem,18rem)_1fr_13rem] gap-3 border-b border-line bg-sunken px-3 py-1 text-note text-muted max-sm:hidden"
  >
    <span />
    <span className="relative h-4">
      {MARKS.map((mark) => (
        <span
          key={mark}
          className={`figures absolute whitespace-nowrap ${mark === 0 ? "" : mark === 4 ? "-translate-x-full" : "-translate-x-1/2"}`}
          style={{ left: `${mark * 25}%` }}
        >
          {formatDuration((lengthMs * mark) / 4, locale)}
        </span>
      ))}
    </span>
    <span />
  </div>
);

/** The time that the rows cover together; at least a millisecond. */
function spanOf(rows: readonly GanttRow[], nowMs: number) {
  const startMs = Math.min(...rows.map(({ bar }) => bar.fromMs));
  const endMs = Math.max(...rows.map(({ bar }) => bar.toMs ?? nowMs));
  return { startMs, lengthMs: Math.max(endMs - startMs, 1) };
}
