import { dayOfTimestamp, type LinesQuery, LINES_MAX } from "./lines-query.ts";
import { type MoneyMove, type MoneyScope, readMoneyMoves } from "#modules/payments/index.ts";
import type { SourceLine, SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp } from "#platform/time.ts";

/**
 * Lines of the payments of a connector or a pool: one for each adjustment that moves money, as `readMoneyMoves` says. The names of lines
 * are `42.in`: the key of the adjustment, and whether its payment goes into the account or out of it. The position is the key up to which
 * adjustments were searched.
 */
export async function readPaymentLines(
  context: ServiceContext,
  scope: MoneyScope,
  query: LinesQuery,
): Promise<SourceLinesPage> {
  const limit = Math.max(1, Math.floor(Math.min(query.limit, LINES_MAX) / 2));
  const { moves, position, isLast } = await readMoneyMoves(context, scope, {
    position: keyOf(query.after),
    limit,
  });
  const lines = moves
    .map(lineOf)
    .filter(({ day }) => day >= query.from && (query.to === undefined || day <= query.to));
  return { lines, position: position.toString(), isLast };
}

function keyOf(position: string | undefined): number {
  if (position === undefined) return 0;
  if (/^\d{1,15}$/.test(position)) return Number(position);
  throw new AppError("VALIDATION", `'${position.slice(0, 40)}' is no position of the source`);
}

function lineOf(move: MoneyMove): SourceLine {
  const { key, side, amount, asset, corrects, reference, paymentReference, otherAccount } = move;
  return {
    sourceId: `${key}.${side}`,
    day: dayOfTimestamp(formatTimestamp(move.createdAt)),
    amount,
    asset,
    fee: undefined,
    texts: {
      providerId: paymentReference,
      ...(reference === paymentReference ? {} : { instructionId: reference }),
      ...(otherAccount === undefined ? {} : { counterpartyAccount: otherAccount }),
    },
    corrects: corrects === undefined ? undefined : `${corrects}.${side}`,
    evidence: {
      paymentID: move.paymentID,
      account: move.account,
      otherAccount,
      category: `${move.type} ${move.status}`,
    },
  };
}
