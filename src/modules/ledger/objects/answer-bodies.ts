import type { ReadName, Written, WrittenRead } from "#ledger-engine";
import { cursorText, dataText } from "#platform/http/schemas.ts";

/** Writes the body of an answer around what a read gives; undefined where that is not the whole answer. */
const BODIES = {
  findTransaction: (found) => (found === undefined ? undefined : dataText(found)),
  listTransactions: (page) => (page.rest === undefined ? cursorText(page) : undefined),
  findAccount: (found) => (found === undefined ? undefined : dataText(found)),
  listAccounts: (page) => (page.rest === undefined ? cursorText(page) : undefined),
  listLogs: (page) => cursorText(page),
} as const satisfies { [N in WrittenRead]: (found: Written<N>) => string | undefined };

/** The body of the answer of such a read. */
export type Body<N extends WrittenRead> = NonNullable<ReturnType<(typeof BODIES)[N]>>;

/** The body of an answer, if what the read of that name has given is the whole of it. */
export function bodyOf(name: ReadName, found: unknown): string | undefined {
  if (!Object.hasOwn(BODIES, name)) throw new Error(`the answer of ${name} has no body`);
  const write = BODIES[name as WrittenRead] as (found: unknown) => string | undefined; // as was just checked
  return write(found);
}
