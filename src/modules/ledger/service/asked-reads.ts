import type { AmountForm } from "#ledger-engine";
import { toCallText } from "#modules/ledger/objects/call-texts.ts";
import type { ReadCall } from "#modules/ledger/objects/calls.ts";
import type { PageQuery } from "#platform/paging/query.ts";

export interface AskedRead {
  /** The text of the read, which the object gets. */
  readonly text: string;
  last?: LastAnswer | undefined;
  /** Whether the read was repeated, so that its answers are kept. */
  isRepeated: boolean;
}

/** The body of an answer, and the version of the ledger to which it belongs. */
interface LastAnswer {
  readonly version: string;
  readonly body: string;
}

/** A read whose answers are not kept. */
export const askedOnce = (call: ReadCall): AskedRead => ({
  text: toCallText(call),
  isRepeated: false,
});

/** A list whose pages are read. `args` makes the arguments of the read from the query of a page. */
export interface AskedList {
  readonly name: ReadCall["name"];
  readonly args: (query: PageQuery) => ReadCall["args"];
  readonly amounts: AmountForm;
}

export const callOf = (query: PageQuery, { name, args, amounts }: AskedList): ReadCall => ({
  name,
  args: args(query),
  amounts,
});

interface AskedPage extends AskedRead, Pick<AskedList, "name" | "amounts"> {
  readonly ledger: string;
}

/** The reads of pages by their queries. Requests for the same page have the same object as their query. */
const pages = new WeakMap<PageQuery, AskedPage>();

/** The read of a page. For the same query, which never changes, the result is the same object as before. */
export function askedPage(ledger: string, query: PageQuery, list: AskedList): AskedRead {
  const { name, amounts } = list;
  const known = pages.get(query);
  if (known?.ledger === ledger && known.name === name && known.amounts === amounts) {
    known.isRepeated = true;
    return known;
  }
  const text = toCallText(callOf(query, list));
  const asked: AskedPage = { text, isRepeated: false, ledger, name, amounts };
  pages.set(query, asked);
  return asked;
}

/** Shortest answer that is kept, in characters. A shorter one crosses from the object in about the same time as an empty text. */
const KEPT_LENGTH_MIN = 1000;
/** Most characters of kept answers. */
const CHARACTERS_MAX = 4_000_000;

/** The reads whose answers are kept, in the order in which the answers came. */
const kept = new Set<AskedRead>();
let characters = 0;

/** The body in the object's answer to a read. The last body of a repeated read is kept. */
export function noteAnswer(asked: AskedRead, answer: string): string {
  const end = answer.indexOf("\n");
  const body = answer.slice(end + 1);
  forget(asked);
  if (asked.isRepeated && body.length >= KEPT_LENGTH_MIN) {
    asked.last = { version: answer.slice(0, end), body };
    kept.add(asked);
    characters += body.length;
    for (const oldest of kept) {
      if (characters <= CHARACTERS_MAX) break;
      forget(oldest);
    }
  }
  return body;
}

function forget(asked: AskedRead): void {
  if (asked.last === undefined) return;
  kept.delete(asked);
  characters -= asked.last.body.length;
  asked.last = undefined;
}
