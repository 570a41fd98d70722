import { type CollectedQuery, LINES_MAX } from "./lines-query.ts";
import type { SourceLine, SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
import { collectLines } from "#modules/reconciliation/statements/content.ts";
import type { FileLine } from "#modules/reconciliation/statements/line.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Lines of the files of a source that are ready. The names of lines and the positions are the keys of lines. */
export async function readStatementLines(
  context: ServiceContext,
  sourceId: string,
  { after, from, to, limit, collector }: CollectedQuery,
): Promise<SourceLinesPage> {
  const { lines, position, isLast } = await collectLines(context, sourceId, {
    after: keyOf(after),
    limit: Math.min(limit, LINES_MAX),
    collector,
  });
  const wanted = lines.filter(({ day }) => day >= from && (to === undefined || day <= to));
  return { lines: wanted.map(toSourceLine), position: position.toString(), isLast };
}

function keyOf(position: string | undefined): number {
  if (position === undefined) return 0;
  if (/^\d{1,15}$/.test(position)) return Number(position);
  throw new AppError("VALIDATION", `'${position.slice(0, 40)}' is no position of the source`);
}

const toSourceLine = (line: FileLine): SourceLine => ({
  sourceId: line.key.toString(),
  day: line.day,
  amount: line.amount,
  asset: line.asset,
  fee: line.fee,
  texts: line.texts,
  corrects: undefined,
  evidence: {
    statementID: line.statementID,
    fileLine: line.fileLine,
    valueDate: line.valueDate,
    category: line.category,
    raw: line.raw,
  },
});
