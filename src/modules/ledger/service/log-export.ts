import type { LedgerObject } from "#modules/ledger/objects/ledger-object.ts";
import { newId } from "#platform/ids.ts";
import { logError } from "#platform/log.ts";
import { callObject } from "#platform/objects/call.ts";

const READ_OF_LEDGER = { object: "ledger", isRepeatable: true } as const;

/**
 * The entries that the log of a ledger has now, as JSON, one on each line. A page is read when the one before it is taken. Throws
 * `RATE_LIMITED` where the ledger has as many exports under way as it may.
 */
export async function* exportPages(
  object: DurableObjectStub<LedgerObject>,
): AsyncGenerator<string, undefined> {
  const exportId = newId();
  const uuid = await callObject(object.beginExport(exportId), READ_OF_LEDGER);
  try {
    let page = await callObject(object.exportPage({ exportId, uuid, after: -1 }), READ_OF_LEDGER);
    if (page.text !== "") yield page.text;
    while (page.after < page.to) {
      const { after, to } = page;
      page = await callObject(object.exportPage({ exportId, uuid, after, to }), READ_OF_LEDGER);
      yield page.text;
    }
  } finally {
    // The export ends also where the client has gone. An error here is only logged, because it would hide why the export ended.
    await object.endExport(exportId).catch((error: unknown) => {
      logError("a ledger was not told that an export is over", error, { ledger: object.name });
    });
  }
}
