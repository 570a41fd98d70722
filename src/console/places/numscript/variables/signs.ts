import { numberSignsOf } from "./values.ts";
import { locale } from "#console/parts/language/words.ts";

/** How the viewer writes numbers. */
export const SIGNS = numberSignsOf(locale);
