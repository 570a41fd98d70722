import type { OpenAPIHono } from "@hono/zod-openapi";
import { metadataOperations } from "./metadata.ts";
import { MetadataOfAccountRequest, type MetadataTarget, parseAccount } from "#ledger-engine";
import { AnswerClient } from "#modules/ledger/answers/answer-client.ts";
import {
  amountsOf,
  pageRead,
  toAccountQuery,
  toCountQuery,
  toSingleRead,
} from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import {
  AccountListQuery,
  AccountResponse,
  AddressKeyParams,
  AddressParams,
  COUNTED,
  CountQuery,
  FilterBody,
  LedgerParams,
  SingleQuery,
} from "#modules/ledger/wire/schemas.ts";
import {
  type AppEnv,
  cursorOf,
  dataOf,
  deploymentOf,
  endpoint,
  errors,
  json,
} from "#platform/http/index.ts";

const TAGS = ["Accounts"];

export function registerAccounts(app: OpenAPIHono<AppEnv>): void {
  registerLists(app);
  registerSingle(app);
  metadataOperations(METADATA)(app);
}

function registerLists(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/accounts",
      operationId: "v2ListAccounts",
      summary: "List accounts",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: AccountListQuery,
      body: FilterBody,
      bigintAsString: true,
      responses: {
        200: json("A page of accounts", cursorOf(AccountResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, context, c }) => {
      const { ledger } = params;
      const { settings } = deploymentOf(c);
      const request = pageRead(c, body, () => toAccountQuery({ ledger, query, body, settings }));
      const written = await AnswerClient.from(context).accounts(ledger, request);
      return { status: 200, written };
    },
  );
  endpoint(
    app,
    {
      method: "head",
      path: "/v2/{ledger}/accounts",
      operationId: "v2CountAccounts",
      summary: "Count accounts",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: CountQuery,
      body: FilterBody,
      responses: { 204: COUNTED, ...errors(404) },
    },
    async ({ params, query, body, context }) => {
      const wanted = toCountQuery(query, body);
      const count = await LedgerService.from(context).countAccounts(params.ledger, wanted);
      return { status: 204, headers: { count: `${count}` } };
    },
  );
}

function registerSingle(app: OpenAPIHono<AppEnv>): void {
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
      query: SingleQuery,
      bigintAsString: true,
      responses: { 200: json("The account", dataOf(AccountResponse)), ...errors(404) },
    },
    async ({ params, query, context, c }) => {
      const written = await AnswerClient.from(context).account(params.ledger, params.address, {
        ...toSingleRead(query),
        ...amountsOf(c),
      });
      return { status: 200, written };
    },
  );
}

/** The routes for metadata of accounts. Deleting a key that does not exist is no error. */
const METADATA = {
  path: "/v2/{ledger}/accounts/{address}",
  noun: "an account",
  tag: "Accounts",
  params: AddressParams,
  keyParams: AddressKeyParams,
  body: MetadataOfAccountRequest,
  operationIds: { add: "v2AddMetadataToAccount", delete: "v2DeleteAccountMetadata" },
  toTarget: ({ address }: { address: string }): MetadataTarget => ({
    type: "ACCOUNT",
    id: parseAccount(address, "account"),
  }),
} as const;
