import { locale } from "#console/parts/language/words.ts";

const AXIS = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 });

const DAY_S = 86_400;
const MONTH_S = 28 * DAY_S;
const TIME = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const MONTH = new Intl.DateTimeFormat(locale, { month: "short", year: "numeric" });

/**
 * The labels of an axis of time. Moments and their distance are in seconds; below a day's distance, the first moment and each midnight have
 * their date in a second line.
 */
export function formatTimes(moments: readonly number[], distance: number): readonly string[] {
  const style = distance < MONTH_S ? DAY : MONTH;
  return moments.map((moment, place) => {
    const date = new Date(moment * 1000);
    if (distance >= DAY_S) return style.format(date);
    const isNewDay = date.getHours() === 0 && date.getMinutes() === 0;
    const time = TIME.format(date);
    return isNewDay || place === 0 ? `${time}\n${DAY.format(date)}` : time;
  });
}

/** A number of an axis: `1.2M`, `−0.0115`. Amounts beside the chart are exact. */
export const formatAxis = (value: number): string => AXIS.format(value).replace("-", "−");
