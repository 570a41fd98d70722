import { locale } from "#console/parts/language/words.ts";
import { numberSignsOf } from "#console/parts/money/parse-amount.ts";

/** How the viewer writes numbers. */
export const SIGNS = numberSignsOf(locale);
