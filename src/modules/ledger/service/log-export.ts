import type { LedgerObject } from "#modules/ledger/objects/ledger-object.ts";
import { newId } from "#platform/ids.ts";
import { logError } from "#platform/log.ts";
import { callObject } from "#platform/objects/call.ts";

const READ_OF_LEDGER = { object: "ledger", isRepeatable: true } as const;

/** A part of a log: the entries after `after` and up to `to`, at least one page of them, and no more pages once there are `charactersMax`. */
export interface LogPartRange {
  /** The uuid of the ledger, which may be deleted. */
  readonly uuid: string;
  readonly after: number;
  readonly to: number;
  readonly charactersMax: number;
}

/**
 * The entries that the log of a ledger has now, as JSON, one on each line. A page is read when the one before it is taken. Throws
 * `RATE_LIMITED` where the ledger has as many exports under way as it may.
 */
export async function* exportPages(
  object: DurableObjectStub<LedgerObject>,
  range?: LogPartRange,
): AsyncGenerator<string, undefined> {
  const exportId = newId();
  const uuid = await callObject(object.beginExport(exportId, range?.uuid), READ_OF_LEDGER);
  const charactersMax = range?.charactersMax ?? Infinity;
  const call = { exportId, uuid, reach: range === undefined ? "live" : "all" } as const;
  try {
    const begin = range === undefined ? { after: -1 } : { after: range.after, to: range.to };
    let page = await callObject(object.exportPage({ ...call, ...begin }), READ_OF_LEDGER);
    let characters = page.text.length;
    if (page.text !== "") yield page.text;
    while (page.after < page.to && characters < charactersMax) {
      const { after, to } = page;
      page = await callObject(object.exportPage({ ...call, after, to }), READ_OF_LEDGER);
      characters += page.text.length;
      yield page.text;
    }
  } finally {
    // The export ends also where the client has gone. An error here is only logged, because it would hide why the export ended.
    await object.endExport(exportId).catch((error: unknown) => {
      logError("a ledger was not told that an export is over", error, { ledger: object.name });
    });
  }
}
