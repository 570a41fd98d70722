import { readAccountLines } from "./account-lines.ts";
import { type CollectedQuery, dayOfTimestamp } from "./lines-query.ts";
import { readPaymentLines } from "./payment-lines.ts";
import { reachOfSource, type LineSource } from "./source.ts";
import { readStatementLines } from "./statement-lines.ts";
import { assertReaches } from "#modules/reconciliation/balances/reach.ts";
import type { SourceLinesPage } from "#modules/reconciliation/core/source-line.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { formatTimestamp } from "#platform/time.ts";

export { type CollectedQuery, LINES_MAX } from "./lines-query.ts";

/**
 * The next lines of a source, in the order in which the source got them:
 *
 * | Kind | Order |
 * | --- | --- |
 * | `statement` | by file as they became ready, and in the order of the file |
 * | `accounts` | by transaction id, so that a backdated transaction comes when it was inserted |
 * | `connector`, `pool` | by adjustment as they were stored |
 *
 * A page may be short or empty and not the last one. Positions stay valid for ever; lines that come later follow the position of the last
 * page. Throws `UNAUTHENTICATED` for a principal that may not read the source now, `SOURCE_UNREADABLE` with the reason where the ledger,
 * connector or pool is gone, and `OVERLOADED` where it is worth another try.
 */
export async function readSourceLines(
  context: ServiceContext,
  source: Pick<LineSource, "id" | "name" | "definition">,
  query: CollectedQuery,
): Promise<SourceLinesPage> {
  const what = `the source '${source.name}'`;
  assertReaches(context.principal, reachOfSource(source), what);
  try {
    return await readLines(context, source, query);
  } catch (error) {
    if (error instanceof AppError && GONE.has(error.kind)) {
      throw new AppError("SOURCE_UNREADABLE", `${what} cannot be read: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Failures of what a source reads that the same call would meet again. */
const GONE: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "LEDGER_NOT_FOUND",
  "NOT_FOUND",
  "VALIDATION",
]);

function readLines(
  context: ServiceContext,
  { id, definition }: Pick<LineSource, "id" | "definition">,
  query: CollectedQuery,
): Promise<SourceLinesPage> {
  switch (definition.kind) {
    case "accounts":
      return readAccountLines(context, definition, query);
    case "connector":
      return readPaymentLines(context, { connectorID: definition.connectorID }, query);
    case "pool":
      return readPaymentLines(context, { poolID: definition.poolID }, query);
    case "statement":
      return readStatementLines(context, id, query);
  }
}

/** Throws as `readSourceLines` does for books that cannot be read. Files have nothing to read before the first one. */
export async function assertReadable(
  context: ServiceContext,
  source: Pick<LineSource, "name" | "definition">,
): Promise<void> {
  if (source.definition.kind === "statement") return;
  const from = dayOfTimestamp(formatTimestamp(context.clock()));
  const query = { after: undefined, from, to: undefined, limit: 1, collector: "" };
  await readSourceLines(context, { id: "", ...source }, query);
}
