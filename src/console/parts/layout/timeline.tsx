import type { ReactNode } from "react";
import { toneClass, ToneIcon, type Tone } from "#console/parts/base/status.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

/** Something that happened, or that is waited for. */
export interface TimelineEntry {
  readonly id: string;
  /** When, as RFC 3339; absent for what has not happened yet. */
  readonly at?: string | undefined;
  readonly tone: Tone;
  readonly title: ReactNode;
  /** What is known beyond the title: a reason, an amount, who did it. */
  readonly note?: ReactNode;
}

/** What happened to an object, in the order of the entries. */
export const Timeline = ({ entries }: { readonly entries: readonly TimelineEntry[] }) => (
  <ol>
    {entries.map(({ id, at, tone, title, note }) => (
      <li key={id} className="group relative flex gap-3 pb-4 last:pb-0">
        <span
          aria-hidden
          className="absolute top-5 bottom-0 left-[7.5px] w-px bg-line group-last:hidden"
        />
        <span className={`mt-0.5 shrink-0 ${toneClass(tone)}`}>
          <ToneIcon tone={tone} />
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0 font-medium">{title}</span>
            {at !== undefined && (
              <span className="text-note text-muted">
                <Moment at={at} />
              </span>
            )}
          </div>
          {note !== undefined && <div className="mt-0.5 text-muted">{note}</div>}
        </div>
      </li>
    ))}
  </ol>
);
