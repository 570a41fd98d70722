import { LedgerService } from "./service.ts";

/** Version of the ledger API that Florin speaks. */
export const LEDGER_VERSION = "v2.4.12";

/** Resolves when the catalogue answers. */
export async function checkLedgers(env: Env): Promise<void> {
  await LedgerService.from(env).listLedgerNames(1);
}
