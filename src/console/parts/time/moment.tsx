import { locale } from "#console/parts/language/words.ts";

/** How a moment is shown. A style of `Intl` takes a third of a millisecond to make, so each is made once. */
const TIME = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const DAY_AND_TIME = new Intl.DateTimeFormat(locale, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const DATE_AND_TIME = new Intl.DateTimeFormat(locale, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const WHOLE = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** A moment of the API in the viewer's zone. UTC with all its digits is shown on hover. */
export function Moment({
  at,
  isWhole = false,
}: {
  readonly at: string;
  readonly isWhole?: boolean;
}) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={utcOf(at)} className="figures whitespace-nowrap">
      {(isWhole ? WHOLE : styleFor(date)).format(date)}
    </time>
  );
}

function styleFor(date: Date): Intl.DateTimeFormat {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return TIME;
  return date.getFullYear() === now.getFullYear() ? DAY_AND_TIME : DATE_AND_TIME;
}

/** The API's own text, in words: `2026-11-27 04:18:17.123456 UTC`. */
const utcOf = (at: string): string => at.replace("T", " ").replace(/Z$/, " UTC");
