import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { LEDGER_LIST_OPTIONS } from "#modules/catalogue/index.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import {
  CreateLedgerRequest,
  FilterBody,
  LedgerInfoResponse,
  LedgerListQuery,
  LedgerParams,
  LedgerResponse,
  StatsResponse,
} from "#modules/ledger/wire/schemas.ts";
import { toLedgerView } from "#modules/ledger/wire/views.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { filterOf, type ListRules, toPageQuery } from "#platform/http/listing.ts";
import { cursorOf, dataOf, MetadataSchema, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

const LIST_RULES: ListRules = {
  list: "ledgers",
  options: LEDGER_LIST_OPTIONS,
  columns: { id: "integer" },
  column: "id",
  order: "asc",
};

export function registerLedgers(app: OpenAPIHono<AppEnv>): void {
  registerCatalogue(app);
  registerLedgerMetadata(app);
  registerLedgerInfo(app);
}

function registerCatalogue(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2",
      operationId: "v2ListLedgers",
      summary: "List ledgers",
      tags: ["Ledgers"],
      scope: "ledger:read",
      honoursLedgers: true,
      query: LedgerListQuery,
      body: FilterBody,
      responses: { 200: json("A page of ledgers", cursorOf(LedgerResponse)) },
    },
    async ({ query, body, c }) => {
      const wanted = toLedgerQuery(query, body, deploymentOf(c).settings);
      const page = await LedgerService.from(c.get("context")).listLedgers(wanted);
      return { status: 200, body: toCursorView(mapPage(page, toLedgerView)) };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}",
      operationId: "v2CreateLedger",
      summary: "Create a ledger",
      tags: ["Ledgers"],
      scope: "ledger:write",
      params: LedgerParams,
      body: CreateLedgerRequest,
      responses: { 204: empty("Created") },
    },
    async ({ params, body, c }) => {
      await LedgerService.from(c.get("context")).createLedger(
        {
          name: params.ledger,
          bucket: body?.bucket ?? "",
          metadata: body?.metadata ?? {},
          features: body?.features ?? {},
        },
        ledgerSettings.of(c.env),
      );
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}",
      operationId: "v2GetLedger",
      summary: "Read a ledger",
      tags: ["Ledgers"],
      scope: "ledger:read",
      params: LedgerParams,
      responses: { 200: json("The ledger", dataOf(LedgerResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const ledger = await LedgerService.from(c.get("context")).getLedger(params.ledger);
      return { status: 200, body: { data: toLedgerView(ledger) } };
    },
  );
}

function toLedgerQuery(
  query: z.output<typeof LedgerListQuery>,
  body: unknown,
  settings: PlatformSettings,
): PageQuery {
  const options = { ...LEDGER_LIST_OPTIONS, IncludeDeleted: query.includeDeleted };
  return toPageQuery({ ...query, where: filterOf(query, body), options }, LIST_RULES, settings);
}

function registerLedgerMetadata(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v2/{ledger}/metadata",
      operationId: "v2UpdateLedgerMetadata",
      summary: "Add metadata to a ledger",
      tags: ["Ledgers"],
      scope: "ledger:write",
      params: LedgerParams,
      body: MetadataSchema,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      await LedgerService.from(c.get("context")).addLedgerMetadata(params.ledger, body);
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/v2/{ledger}/metadata/{key}",
      operationId: "v2DeleteLedgerMetadata",
      summary: "Delete a metadata key of a ledger",
      tags: ["Ledgers"],
      scope: "ledger:write",
      params: LedgerParams.extend({ key: z.string() }),
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await LedgerService.from(c.get("context")).deleteLedgerMetadata(params.ledger, params.key);
      return { status: 204 };
    },
  );
}

function registerLedgerInfo(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/_info",
      operationId: "v2GetLedgerInfo",
      summary: "Show how a ledger is stored",
      tags: ["Ledgers"],
      scope: "ledger:read",
      params: LedgerParams,
      responses: { 200: json("Its migrations", dataOf(LedgerInfoResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const migrations = await LedgerService.from(c.get("context")).listMigrations(params.ledger);
      return { status: 200, body: { data: { name: params.ledger, storage: { migrations } } } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/stats",
      operationId: "v2ReadStats",
      summary: "Count what a ledger holds",
      tags: ["Ledgers"],
      scope: "ledger:read",
      params: LedgerParams,
      responses: { 200: json("The counts", dataOf(StatsResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const { transactions, accounts } = await LedgerService.from(c.get("context")).countLedger(
        params.ledger,
      );
      return { status: 200, body: { data: { transactions, accounts } } };
    },
  );
}
