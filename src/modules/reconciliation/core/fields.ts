import { AppError } from "#platform/errors.ts";
import { FILTER_LENGTH_MAX, toFilterText } from "#platform/filter/filter.ts";

/** Longest name of a policy or rule, in characters. */
export const NAME_LENGTH_MAX = 255;
/** Longest filter of accounts, as JSON in characters. Evidence repeats the filter, so that it is shorter than filters of lists. */
export const QUERY_LENGTH_MAX = Math.min(8192, FILTER_LENGTH_MAX);

const LEDGER_NAME = /^[0-9a-zA-Z_-]{1,63}$/;

export const invalid = (message: string): AppError => new AppError("VALIDATION", message);

export function assertName(name: string): void {
  if (name.trim() === "") throw invalid("missing name");
  if (name.length > NAME_LENGTH_MAX) {
    throw invalid(`the name has more than ${NAME_LENGTH_MAX} characters`);
  }
}

/** Throws `VALIDATION` for a text that no ledger can have as its name. `what` names the field. */
export function assertLedgerName(name: string, what: string): void {
  if (LEDGER_NAME.test(name)) return;
  throw invalid(
    name === ""
      ? `missing ${what}`
      : `${what} is not the name of a ledger: up to 63 letters, digits, dashes and underscores`,
  );
}

/** Throws `VALIDATION` for a filter of accounts that the list language does not have. `what` names the field. */
export function assertQuery(
  query: unknown,
  { what, mayBeEmpty }: { readonly what: string; readonly mayBeEmpty: boolean },
): void {
  if (typeof query !== "object" || query === null || Array.isArray(query)) {
    throw invalid(`${what} is not an object`);
  }
  if (Object.keys(query).length === 0) {
    if (mayBeEmpty) return;
    throw invalid(`${what} is empty`);
  }
  let text: string | undefined;
  try {
    text = toFilterText(query);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("VALIDATION", `${what}: ${error.message}`, { cause: error });
  }
  if ((text?.length ?? 0) > QUERY_LENGTH_MAX) {
    throw invalid(`${what} has more than ${QUERY_LENGTH_MAX} characters as JSON`);
  }
}
