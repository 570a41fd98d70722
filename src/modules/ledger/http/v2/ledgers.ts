import { z } from "@hono/zod-openapi";
import { LEDGER_LIST_OPTIONS } from "#modules/catalogue/index.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import {
  CreateLedgerHeaders,
  CreateLedgerRequest,
  FilterBody,
  LedgerInfoResponse,
  LedgerListQuery,
  LedgerParams,
  LedgerResponse,
  StatsResponse,
} from "#modules/ledger/wire/schemas.ts";
import { toLedgerView } from "#modules/ledger/wire/views.ts";
import {
  deploymentOf,
  filterOf,
  type ListRules,
  MetadataSchema,
  ok,
  operations,
  registration,
  toPageQuery,
} from "#platform/http/index.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

const LIST_RULES: ListRules = {
  list: "ledgers",
  options: LEDGER_LIST_OPTIONS,
  columns: { id: "integer" },
  column: "id",
  order: "asc",
};

function toLedgerQuery(
  query: z.output<typeof LedgerListQuery>,
  body: unknown,
  settings: PlatformSettings,
): PageQuery {
  const options = { ...LEDGER_LIST_OPTIONS, IncludeDeleted: query.includeDeleted };
  return toPageQuery({ ...query, where: filterOf(query, body), options }, LIST_RULES, settings);
}

const ledgers = operations({ path: "/v2", tags: ["Ledgers"], scope: "ledger" });

export const registerLedgers = registration(
  ledgers.get("", {
    operationId: "v2ListLedgers",
    summary: "List ledgers",
    honoursLedgers: true,
    query: LedgerListQuery,
    body: FilterBody,
    answer: ok.page("A page of ledgers", LedgerResponse, toLedgerView),
    handle: ({ query, body, context, c }) => {
      const wanted = toLedgerQuery(query, body, deploymentOf(c).settings);
      return LedgerService.from(context).listLedgers(wanted);
    },
  }),
  ledgers.post("/{ledger}", {
    operationId: "v2CreateLedger",
    summary: "Create a ledger",
    params: LedgerParams,
    headers: CreateLedgerHeaders,
    body: CreateLedgerRequest,
    recordedFields: ["bucket"],
    answer: ok.empty("Created"),
    handle: ({ params, headers, body, context, c }) =>
      LedgerService.from(context).createLedger(
        {
          name: params.ledger,
          bucket: body?.bucket ?? "",
          metadata: body?.metadata ?? {},
          features: body?.features ?? {},
          location: headers["X-Florin-Location"],
        },
        ledgerSettings.of(c.env),
      ),
  }),
  ledgers.get("/{ledger}", {
    operationId: "v2GetLedger",
    summary: "Read a ledger",
    params: LedgerParams,
    answer: ok.data("The ledger", LedgerResponse, toLedgerView),
    errors: [404],
    handle: ({ params, context }) => LedgerService.from(context).getLedger(params.ledger),
  }),
  ledgers.put("/{ledger}/metadata", {
    operationId: "v2UpdateLedgerMetadata",
    summary: "Add metadata to a ledger",
    params: LedgerParams,
    body: MetadataSchema,
    answer: ok.empty("Added"),
    errors: [404],
    handle: ({ params, body, context }) =>
      LedgerService.from(context).addLedgerMetadata(params.ledger, body),
  }),
  ledgers.delete("/{ledger}/metadata/{key}", {
    operationId: "v2DeleteLedgerMetadata",
    summary: "Delete a metadata key of a ledger",
    params: LedgerParams.extend({ key: z.string() }),
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: ({ params, context }) =>
      LedgerService.from(context).deleteLedgerMetadata(params.ledger, params.key),
  }),
  ledgers.get("/{ledger}/_info", {
    operationId: "v2GetLedgerInfo",
    summary: "Show how a ledger is stored",
    params: LedgerParams,
    answer: ok.data("Its migrations", LedgerInfoResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const migrations = await LedgerService.from(context).listMigrations(params.ledger);
      return { name: params.ledger, storage: { migrations } };
    },
  }),
  ledgers.get("/{ledger}/stats", {
    operationId: "v2ReadStats",
    summary: "Count what a ledger holds",
    params: LedgerParams,
    answer: ok.data("The counts", StatsResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const { transactions, accounts } = await LedgerService.from(context).countLedger(
        params.ledger,
      );
      return { transactions, accounts };
    },
  }),
);
