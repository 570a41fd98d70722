import type { z } from "@hono/zod-openapi";
import type { StreamOutcome, StreamResult } from "./bulk-stream.ts";
import { PAGE_RESULTS_MAX } from "./limits.ts";
import type { Transaction } from "#ledger-engine";
import { ledgerErrors } from "#ledger-engine";
import type { BulkResultResponse } from "#modules/ledger/wire/bulk-schemas.ts";
import { toBulkFailureView, toBulkResultView } from "#modules/ledger/wire/bulk-views.ts";
import { assert } from "#platform/assert.ts";
import type { PagedAnswer } from "#platform/http/answers.ts";

/** Reads the transactions of log entries, by the entries' ids. The answer may stop early, after at least one of the ids. */
export type ReadCommitted = (
  logIds: readonly number[],
) => Promise<ReadonlyMap<number, Transaction>>;

/**
 * The answer to a stream. The first failure gives the status and stands at the top level: that of an element, or else that of the stream
 * itself, which comes after all elements. Where both have failed, `details` says how the stream broke off.
 */
export function toStreamAnswer(
  { results, failure: broken }: StreamOutcome,
  read: ReadCommitted,
): PagedAnswer {
  const pages = pagesOf(results, read);
  const failed = results.find(({ result }) => result?.ok === false)?.result;
  if (failed?.ok === false) {
    const details =
      broken === undefined ? {} : { details: `the stream broke off: ${broken.message}` };
    return { status: 400, pages, members: { ...toBulkFailureView(failed.failure), ...details } };
  }
  if (broken === undefined) return { status: 200, pages, members: {} };
  const details = broken.details === undefined ? {} : { details: broken.details };
  return {
    status: ledgerErrors.statusOf(broken.kind),
    pages,
    members: { ...toBulkFailureView(broken), ...details },
  };
}

/** The results in pages, with the transactions as the log has them. */
async function* pagesOf(
  results: readonly StreamResult[],
  read: ReadCommitted,
): AsyncGenerator<z.input<typeof BulkResultResponse>[]> {
  let at = 0;
  while (at < results.length) {
    const page = results.slice(at, at + PAGE_RESULTS_MAX);
    const wanted = new Set(page.flatMap((item) => logIdToRead(item) ?? []));
    const found = wanted.size === 0 ? NONE : await read([...wanted]);
    const missing = page.findIndex((item) => {
      const logId = logIdToRead(item);
      return logId !== undefined && !found.has(logId);
    });
    const ready = missing === -1 ? page : page.slice(0, missing);
    assert(ready.length > 0, "what was committed stands in the log");
    yield ready.map((item) => toView(item, found));
    at += ready.length;
  }
}

const NONE: ReadonlyMap<number, Transaction> = new Map();

/** The id of the log entry from which a result still needs its transaction; undefined where the result needs none. */
function logIdToRead({ action, result }: StreamResult): number | undefined {
  if (result?.ok !== true || result.value.transaction !== undefined) return undefined;
  const makesTransaction = action === "CREATE_TRANSACTION" || action === "REVERT_TRANSACTION";
  return makesTransaction ? result.value.logId : undefined;
}

function toView(item: StreamResult, found: ReadonlyMap<number, Transaction>) {
  const { action, result } = item;
  const transaction = found.get(logIdToRead(item) ?? 0);
  if (result?.ok !== true || transaction === undefined) return toBulkResultView(action, result);
  return toBulkResultView(action, { ok: true, value: { ...result.value, transaction } });
}
