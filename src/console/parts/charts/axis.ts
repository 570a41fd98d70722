import { locale } from "#console/parts/language/words.ts";

const AXIS = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 });

/** A number of an axis: `1.2M`, `0.0115`. Amounts beside the chart are exact. */
export const formatAxis = (value: number): string => AXIS.format(value);
