import type { Integer } from "#openapi";
import { locale } from "#src/console/parts/language/words.ts";

const WHOLE = new Intl.NumberFormat(locale);

/** A count with the separators of the viewer's locale. */
export const formatCount = (count: Integer): string => WHOLE.format(count);
