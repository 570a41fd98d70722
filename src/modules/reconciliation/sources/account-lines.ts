import type { AccountsDefinition } from "./definition.ts";
import { dayOfTimestamp, type LinesQuery, LINES_MAX, TRANSACTIONS_MAX } from "./lines-query.ts";
import { addressMatcher, parseAddressPattern, REVERTS_KEY } from "#ledger-engine";
import { LedgerClient, type LedgerTransaction } from "#modules/ledger/index.ts";
import type { LineField } from "#modules/reconciliation/core/matching/line.ts";
import type { SourceLine, SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** The keys by which the ledger's filters find the transactions of a direction. */
const ROLES = { in: "destination", out: "source", both: "account" } as const;

/**
 * Lines of a set of accounts: one for each posting that pays into an account of the set, and one for each that pays out of it, so that a
 * posting between two accounts of the set gives two. Transactions come by their ids: one that is backdated comes when it was inserted. The
 * names of lines are `12.0.in`: transaction, posting, side.
 *
 *     position  "12"    all lines of the transactions up to 12 were given
 *               "12.3"  of the transaction 12, which has more lines than the page had room for, the first three were given
 */
export async function readAccountLines(
  context: ServiceContext,
  definition: AccountsDefinition,
  query: LinesQuery,
): Promise<SourceLinesPage> {
  const place = placeOf(query.after);
  const page = await transactionsAfter(context, definition, { place, limit: query.limit });
  const lines: SourceLine[] = [];
  const linesMax = Math.min(query.limit, LINES_MAX);
  for (const transaction of page.data) {
    const all = linesOfTransaction(transaction, definition);
    const given = idOf(transaction) === place?.id ? place.lines : 0;
    const room = linesMax - lines.length;
    const wanted = all.slice(given).filter(({ day }) => isWithin(day, query));
    if (wanted.length > room) {
      // All lines of a transaction are of one day, so that none of them was filtered out.
      lines.push(...wanted.slice(0, room));
      return { lines, position: `${idOf(transaction)}.${given + room}`, isLast: false };
    }
    lines.push(...wanted);
  }
  const last = page.data.at(-1);
  const position = last === undefined ? (query.after ?? "") : idOf(last).toString();
  return { lines, position, isLast: !page.hasMore };
}

interface Place {
  readonly id: bigint;
  /** Whether all lines of the transaction were given, and otherwise how many. */
  readonly isWhole: boolean;
  readonly lines: number;
}

const POSITION = /^(\d{1,19})(?:\.(\d{1,7}))?$/;

function placeOf(position: string | undefined): Place | undefined {
  if (position === undefined || position === "") return undefined;
  const [, id, lines] = POSITION.exec(position) ?? [];
  if (id === undefined) {
    throw new AppError("VALIDATION", `'${position.slice(0, 40)}' is no position of the source`);
  }
  return { id: BigInt(id), lines: Number(lines ?? 0), isWhole: lines === undefined };
}

/** The next transactions, at least one if there is one: pages of a ledger may be empty and still have a next one. */
async function transactionsAfter(
  context: ServiceContext,
  { ledger, account, direction }: AccountsDefinition,
  { place, limit }: { readonly place: Place | undefined; readonly limit: number },
) {
  const touches = { $match: { [ROLES[direction]]: account } };
  const follows =
    place === undefined ? undefined : { [place.isWhole ? "$gt" : "$gte"]: { id: place.id } };
  const list = new LedgerClient(context, ledger).transactions({
    where: follows === undefined ? touches : { $and: [touches, follows] },
    order: "asc",
  });
  const pageSize = Math.min(limit, TRANSACTIONS_MAX);
  let page = await list.page({ pageSize });
  while (page.data.length === 0 && page.next !== undefined) {
    page = await list.page({ pageSize, cursor: page.next });
  }
  return page;
}

/** The lines of a transaction, one for each end of a posting that touches the accounts. */
export function linesOfTransaction(
  transaction: LedgerTransaction,
  definition: AccountsDefinition,
): SourceLine[] {
  const { postings, metadata } = transaction;
  const isOwn = addressMatcher(parseAddressPattern(definition.account));
  const id = idOf(transaction);
  const day = dayOfTimestamp(transaction.timestamp);
  const reverted = /^\d+$/.exec(metadata[REVERTS_KEY] ?? "")?.[0];
  return postings.flatMap(({ source, destination, amount, asset }, index) => {
    if (source === destination || amount === 0n) return [];
    const line = (side: "in" | "out"): SourceLine => {
      const [account, otherAccount] = side === "in" ? [destination, source] : [source, destination];
      return {
        sourceId: `${id}.${index}.${side}`,
        day,
        amount: (side === "in") === definition.negate ? -amount : amount,
        asset,
        fee: undefined,
        texts: textsOf(transaction, definition),
        // A revert has the postings of the other transaction in the reverse order, with their ends exchanged.
        corrects:
          reverted === undefined
            ? undefined
            : `${reverted}.${postings.length - 1 - index}.${side === "in" ? "out" : "in"}`,
        evidence: {
          ledger: definition.ledger,
          transactionID: id,
          account,
          otherAccount,
          category: transaction.template,
        },
      };
    };
    const { direction } = definition;
    return [
      ...(direction !== "in" && isOwn(source) ? [line("out")] : []),
      ...(direction !== "out" && isOwn(destination) ? [line("in")] : []),
    ];
  });
}

/** The texts of a line, from the metadata of its transaction. */
function textsOf(
  { metadata, reference }: LedgerTransaction,
  { references }: AccountsDefinition,
): Partial<Record<LineField, string>> {
  const own = Object.entries(references).flatMap(([field, key]): [string, string][] => {
    const value = metadata[key];
    return value === undefined || value === "" ? [] : [[field, value]];
  });
  return {
    ...(reference === undefined || reference === "" || "providerId" in references
      ? {}
      : { providerId: reference }),
    ...Object.fromEntries(own),
  };
}

const isWithin = (day: number, { from, to }: LinesQuery): boolean =>
  day >= from && (to === undefined || day <= to);

const idOf = ({ id }: LedgerTransaction): bigint => BigInt(id);
