import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toLogPage } from "#modules/ledger/http/v1/requests.ts";
import { LogListQuery, LogV1Response } from "#modules/ledger/http/v1/schemas.ts";
import { toLogV1Views } from "#modules/ledger/http/v1/views.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const logs = operations({ tags: ["Ledger API v1"], scope: "ledger" });

export const registerLogs = registration(
  logs.get("/{ledger}/logs", {
    operationId: "listLogs",
    summary: "List log entries, newest first",
    description:
      "Only those of new transactions and of added metadata: the clients of this version know no others.",
    params: LedgerParams,
    query: LogListQuery,
    answer: ok.page("A page of log entries", LogV1Response),
    errors: [404],
    handle: async ({ params: { ledger }, query, c }) => {
      const wanted = toLogPage({ ledger, query, settings: deploymentOf(c).settings });
      const page = await withLedgerOrEmpty(c, ledger, (reader) => reader.listLogs(ledger, wanted));
      return { ...page, data: page.data.flatMap(toLogV1Views) };
    },
  }),
);
