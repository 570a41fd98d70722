import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { LedgerInfoResponse, LedgerParams, StatsResponse } from "#modules/ledger/wire/schemas.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const ledgers = operations({ tags: ["Ledger API v1"], scope: "ledger" });

export const registerInfo = registration(
  ledgers.get("/{ledger}/_info", {
    operationId: "getLedgerInfo",
    summary: "Show how a ledger is stored",
    params: LedgerParams,
    answer: ok.data("Its migrations", LedgerInfoResponse),
    errors: [404],
    handle: async ({ params: { ledger }, c }) => {
      const migrations = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listMigrations(ledger),
      );
      return { name: ledger, storage: { migrations } };
    },
  }),
  ledgers.get("/{ledger}/stats", {
    operationId: "readStats",
    summary: "Count what a ledger holds",
    params: LedgerParams,
    answer: ok.data("The counts", StatsResponse),
    errors: [404],
    handle: async ({ params: { ledger }, c }) => {
      const { transactions, accounts } = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.countLedger(ledger),
      );
      return { transactions, accounts };
    },
  }),
);
