import { LedgerService } from "./service.ts";
import type { ServiceContext } from "#platform/context.ts";
import { OUTBOX_SWEEP } from "#platform/events/outbox.ts";
import { tryClockWrite } from "#platform/objects/deployment-clock.ts";
import { StorageWatch } from "#platform/objects/storage-watch.ts";

/** Version of the ledger API that Florin implements. */
export const LEDGER_VERSION = "v2.4.12";

/** Resolves when the catalogue answers and there is room for writes. */
export async function checkLedgers(context: ServiceContext): Promise<void> {
  const { env } = context;
  await StorageWatch.from(env).check(() => tryClockWrite(env, OUTBOX_SWEEP));
  await LedgerService.from(context).listLedgerNames(1);
}
