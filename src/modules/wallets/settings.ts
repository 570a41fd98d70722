// Not from the engine's face: every start of a server reads the settings, and would load the whole engine for a name.
import { isLedgerName } from "#ledger-engine/rules/names.ts";
import { DeclaredSettings, textOrStandard } from "#platform/settings.ts";

export const walletSettings = new DeclaredSettings({
  FLORIN_WALLETS_LEDGER: textOrStandard("the name of a ledger", isLedgerName, {
    standard: "wallets-002",
    meaning: "The ledger of all wallets, which is made at its first use",
  }),
});
