import type { ReadName, Written, WrittenRead } from "#ledger-engine";
import { cursorText, dataText } from "#platform/http/schemas.ts";

/** Functions that write the body of an answer around the result of a read; undefined where the result is not the whole answer. */
const BODIES = {
  findTransaction: (found) => (found === undefined ? undefined : dataText(found)),
  listTransactions: (page) => (page.rest === undefined ? cursorText(page) : undefined),
  findAccount: (found) => (found === undefined ? undefined : dataText(found)),
  listAccounts: (page) => (page.rest === undefined ? cursorText(page) : undefined),
  listLogs: (page) => cursorText(page),
} as const satisfies { [N in WrittenRead]: (found: Written<N>) => string | undefined };

export type Body<N extends WrittenRead> = NonNullable<ReturnType<(typeof BODIES)[N]>>;

/** The body of the answer to a read, if the result of the read is the whole answer. */
export function bodyOf(name: ReadName, found: unknown): string | undefined {
  if (!Object.hasOwn(BODIES, name)) throw new Error(`the answer of ${name} has no body`);
  const write = BODIES[name as WrittenRead] as (found: unknown) => string | undefined; // `name` is a key of `BODIES`
  return write(found);
}
