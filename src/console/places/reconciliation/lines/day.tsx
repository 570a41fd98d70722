import { locale } from "#console/parts/language/words.ts";

/** A day has no zone: it is the same everywhere. */
const DAY = new Intl.DateTimeFormat(locale, {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

/** A day such as `2026-03-31` in words. A text that is none stays as it is. */
export function dayText(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? day : DAY.format(date);
}

/** A day of a line or a statement. */
export const Day = ({ day }: { readonly day: string }) => (
  <time dateTime={day} title={day} className="figures whitespace-nowrap">
    {dayText(day)}
  </time>
);

/** The first and the last day of a period; a period without a last day goes on. */
export const Period = ({
  from,
  to,
}: {
  readonly from: string;
  readonly to?: string | undefined;
}) => (
  <span className="whitespace-nowrap">
    <Day day={from} /> – {to === undefined ? "…" : <Day day={to} />}
  </span>
);
