import { isLedgerName } from "#ledger-engine";
import { DeclaredSettings, textOrStandard } from "#platform/settings.ts";

export const walletSettings = new DeclaredSettings({
  FLORIN_WALLETS_LEDGER: textOrStandard("the name of a ledger", isLedgerName, {
    standard: "wallets-002",
    meaning: "The ledger of all wallets, which is made at its first use",
  }),
});
