import type { OpenAPIHono } from "@hono/zod-openapi";
import { showSchema, toInsertSchema } from "#ledger-engine";
import { replayHeaders, rulesOf, writeOptions } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import {
  FilterBody,
  LedgerParams,
  SchemaListQuery,
  SchemaParams,
  SchemaRequest,
  SchemaResponse,
  WriteHeaders,
  WriteQuery,
} from "#modules/ledger/wire/schemas.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { filterOf, toPageQuery } from "#platform/http/listing.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Schemas"];

export function registerSchemas(app: OpenAPIHono<AppEnv>): void {
  registerInsert(app);
  registerReads(app);
}

function registerInsert(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/schemas/{version}",
      operationId: "v2InsertSchema",
      summary: "Insert a schema",
      description:
        "A schema has a chart of accounts, with patterns and default metadata, and named templates of transactions and queries. A version never changes.",
      tags: TAGS,
      scope: "ledger:write",
      params: SchemaParams,
      query: WriteQuery,
      headers: WriteHeaders,
      body: SchemaRequest,
      responses: { 204: empty("Inserted"), ...errors(404, 409) },
    },
    async ({ params, query, headers, body, c }) => {
      const runtime = standardRuntimeOf(ledgerSettings.of(c.env));
      const { isReplay } = await LedgerService.from(c.get("context")).execute(
        params.ledger,
        () => toInsertSchema(params.version, body, { runtime }),
        writeOptions(headers, query),
      );
      return { status: 204, headers: replayHeaders(isReplay) };
    },
  );
}

function registerReads(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/schemas/{version}",
      operationId: "v2GetSchema",
      summary: "Read a schema",
      tags: TAGS,
      scope: "ledger:read",
      params: SchemaParams,
      responses: { 200: json("The schema", dataOf(SchemaResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const schema = await LedgerService.from(c.get("context")).getSchema(
        params.ledger,
        params.version,
      );
      return { status: 200, body: { data: showSchema(schema) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/schemas",
      operationId: "v2ListSchemas",
      summary: "List schemas, newest first",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: SchemaListQuery,
      body: FilterBody,
      responses: { 200: json("A page of schemas", cursorOf(SchemaResponse)), ...errors(404) },
    },
    async ({ params, query, body, c }) => {
      const rules = rulesOf(params.ledger, "schemas");
      const order = query.order === "asc" || query.order === "desc" ? query.order : rules.order;
      const wanted = toPageQuery(
        { ...query, where: filterOf(query, body) },
        { ...rules, order },
        deploymentOf(c).settings,
      );
      const page = await LedgerService.from(c.get("context")).listSchemas(params.ledger, wanted);
      return { status: 200, body: toCursorView(mapPage(page, showSchema)) };
    },
  );
}
