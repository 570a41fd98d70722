import type {
  BookSide,
  BreakLine,
  CorrectionInput,
} from "#modules/reconciliation/core/breaks/correction.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { LineDetail } from "#modules/reconciliation/matchings/engine/line-reads.ts";
import { getLine } from "#modules/reconciliation/matchings/groups.ts";
import type { Matching } from "#modules/reconciliation/matchings/matching.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import { type AccountsDefinition } from "#modules/reconciliation/sources/definition.ts";
import { isOfKind, sourceOf } from "#modules/reconciliation/sources/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** A break with everything that a booking for it needs to know. */
export interface BreakCase {
  readonly matching: Matching;
  readonly line: LineDetail;
  readonly input: CorrectionInput;
  /** The sources of the sides that are accounts of a ledger. */
  readonly books: Readonly<Record<MatchSide, AccountsDefinition | undefined>>;
}

/** Reads a break. Throws `NOT_FOUND`, `UNAUTHENTICATED`, and `CONFLICT` for a line that is matched. */
export async function readCase(
  context: ServiceContext,
  matchingId: string,
  lineId: number,
): Promise<BreakCase> {
  const matching = await getMatching(context, matchingId);
  const line = await getLine(context, matchingId, lineId);
  if (line.state === "matched")
    throw new AppError("CONFLICT", `the line ${lineId} is matched, and no break any more`);
  const related =
    line.relatedLine === undefined
      ? undefined
      : await getLine(context, matchingId, line.relatedLine);
  const books = {
    left: await accountsOf(context, matching.leftSourceId),
    right: await accountsOf(context, matching.rightSourceId),
  };
  return {
    matching,
    line,
    books,
    input: {
      class: line.breakClass ?? "unknown",
      line: toBreakLine(line),
      related:
        related === undefined || related.state === "matched" ? undefined : toBreakLine(related),
      books: { left: toBookSide(books.left), right: toBookSide(books.right) },
      accounts: matching.accounts,
    },
  };
}

async function accountsOf(
  context: ServiceContext,
  sourceId: string,
): Promise<AccountsDefinition | undefined> {
  const source = await sourceOf(context, sourceId);
  return isOfKind(source, "accounts") ? source.definition : undefined;
}

const toBookSide = (of: AccountsDefinition | undefined): BookSide | undefined =>
  of === undefined ? undefined : { ledger: of.ledger, account: of.account, negate: of.negate };

const toBreakLine = ({ id, side, amount, asset, evidence }: LineDetail): BreakLine => ({
  id,
  side,
  amount,
  asset,
  account: evidence.account,
  otherAccount: evidence.otherAccount,
});
