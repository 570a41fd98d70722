import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../../platform/http/context.ts";
import { empty, endpoint, errors, json } from "../../../platform/http/endpoint.ts";
import { assertNoFilter } from "../../../platform/http/listing.ts";
import { cursorOf, dataOf, MetadataSchema, toCursorView } from "../../../platform/http/schemas.ts";
import { mapPage } from "../../../platform/pagination.ts";
import { parseAccount } from "../core/names.ts";
import {
  AccountListQuery,
  AccountResponse,
  AddressKeyParams,
  AddressParams,
  ExpandQuery,
  FilterBody,
  LedgerParams,
  WriteQuery,
} from "../schemas.ts";
import { LedgerService } from "../service.ts";
import { toAccountView } from "../views.ts";
import { replayHeaders, toAccountQuery, toExpansion, writeOptions } from "./requests.ts";

const TAGS = ["ledger"];

export function registerAccounts(app: OpenAPIHono<AppEnv>): void {
  registerReads(app);
  registerMetadata(app);
}

function registerReads(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/accounts",
      aliases: ["/v2/{ledger}/accounts/"],
      operationId: "v2ListAccounts",
      summary: "List accounts",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: AccountListQuery,
      unsupportedQuery: ["pit", "oot"],
      body: FilterBody,
      bigintAsString: true,
      responses: {
        200: json("A page of accounts", cursorOf(AccountResponse)),
        ...errors(400, 404),
      },
    },
    async ({ params, query, body, c }) => {
      assertNoFilter(query, body);
      const wanted = toAccountQuery(query, c.var.settings);
      const expand = toExpansion(wanted.expand ?? []);
      const page = await LedgerService.from(c.env).listAccounts(params.ledger, wanted, expand);
      const view = mapPage(page, (account) => toAccountView(account, expand));
      return { status: 200, body: toCursorView(view) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/accounts/{address}",
      operationId: "v2GetAccount",
      summary: "Read an account",
      tags: TAGS,
      scope: "ledger:read",
      params: AddressParams,
      query: ExpandQuery,
      unsupportedQuery: ["pit"],
      bigintAsString: true,
      responses: { 200: json("The account", dataOf(AccountResponse)), ...errors(400, 404) },
    },
    async ({ params, query, c }) => {
      const expand = toExpansion(query.expand);
      const { ledger, address } = params;
      const account = await LedgerService.from(c.env).getAccount(ledger, address, expand);
      return { status: 200, body: { data: toAccountView(account, expand) } };
    },
  );
}

function registerMetadata(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/accounts/{address}/metadata",
      operationId: "v2AddMetadataToAccount",
      summary: "Add metadata to an account",
      tags: TAGS,
      scope: "ledger:write",
      params: AddressParams,
      query: WriteQuery,
      unsupportedQuery: ["schemaVersion"],
      body: MetadataSchema,
      responses: { 204: empty("Added"), ...errors(400, 404) },
    },
    async ({ params, query, body, c }) => {
      const { isReplay } = await LedgerService.from(c.env).execute(
        params.ledger,
        () => ({
          kind: "setMetadata",
          target: { type: "ACCOUNT", id: parseAccount(params.address, "account") },
          metadata: body,
        }),
        writeOptions(c, query),
      );
      return { status: 204, headers: replayHeaders(isReplay) };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/v2/{ledger}/accounts/{address}/metadata/{key}",
      operationId: "v2DeleteAccountMetadata",
      summary: "Delete a metadata key of an account",
      tags: TAGS,
      scope: "ledger:write",
      params: AddressKeyParams,
      query: WriteQuery,
      unsupportedQuery: ["schemaVersion"],
      responses: { 204: empty("Deleted, or not there"), ...errors(400, 404) },
    },
    async ({ params, query, c }) => {
      const { isReplay } = await LedgerService.from(c.env).execute(
        params.ledger,
        () => ({
          kind: "deleteMetadata",
          target: { type: "ACCOUNT", id: parseAccount(params.address, "account") },
          key: params.key,
        }),
        writeOptions(c, query),
      );
      return { status: 204, headers: replayHeaders(isReplay) };
    },
  );
}
