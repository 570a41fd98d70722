import { LedgerService } from "./service.ts";
import { deploymentClock } from "#platform/objects/deployment-clock.ts";
import { StorageWatch } from "#platform/storage-watch.ts";

/** Version of the ledger API that Florin speaks. */
export const LEDGER_VERSION = "v2.4.12";

/** Resolves when the catalogue answers and there is room for writes. */
export async function checkLedgers(env: Env): Promise<void> {
  await StorageWatch.from(env).check(() => deploymentClock(env).tryWrite());
  await LedgerService.from(env).listLedgerNames(1);
}
