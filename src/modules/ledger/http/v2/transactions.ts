import type { OpenAPIHono } from "@hono/zod-openapi";
import { metadataOperations } from "./metadata.ts";
import {
  type MetadataTarget,
  toRevertTransaction,
  readPlainTransaction,
  toTransactionCommand,
} from "#ledger-engine";
import { AnswerClient } from "#modules/ledger/answers/answer-client.ts";
import {
  amountsOf,
  pageRead,
  replayHeaders,
  toCountQuery,
  toSingleRead,
  toTransactionQuery,
  TRANSACTION_FIELDS,
  writeOptions,
} from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import {
  COUNTED,
  CountQuery,
  CreateQuery,
  FilterBody,
  IdParams,
  LedgerParams,
  RevertQuery,
  RevertRequest,
  SingleQuery,
  TransactionListQuery,
  TransactionRequest,
  TransactionResponse,
  WriteHeaders,
  WriteIdKeyParams,
  WriteIdParams,
} from "#modules/ledger/wire/schemas.ts";
import {
  type AppEnv,
  cursorOf,
  dataOf,
  dataText,
  deploymentOf,
  endpoint,
  errors,
  json,
  MetadataSchema,
} from "#platform/http/index.ts";

const TAGS = ["Transactions"];

export function registerTransactions(app: OpenAPIHono<AppEnv>): void {
  registerCreate(app);
  registerLists(app);
  registerSingle(app);
  registerRevert(app);
  metadataOperations(METADATA)(app);
}

function registerCreate(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/transactions",
      operationId: "v2CreateTransaction",
      summary: "Commit a transaction",
      tags: TAGS,
      scope: "ledger:write",
      params: LedgerParams,
      query: CreateQuery,
      headers: WriteHeaders,
      body: TransactionRequest,
      plainBody: readPlainTransaction,
      recordedFields: TRANSACTION_FIELDS,
      bigintAsString: true,
      responses: {
        200: json("Committed", dataOf(TransactionResponse)),
        ...errors(404, 409),
      },
    },
    async ({ params, query, headers, body, context, c }) => {
      const { transaction, isReplay } = await AnswerClient.from(context).commit(
        params.ledger,
        () => toTransactionCommand(body, { force: query.force }),
        { ...writeOptions(headers, query), ...amountsOf(c) },
      );
      return {
        status: 200,
        written: dataText(transaction),
        headers: replayHeaders(isReplay),
      };
    },
  );
}

function registerLists(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/transactions",
      operationId: "v2ListTransactions",
      summary: "List transactions",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: TransactionListQuery,
      body: FilterBody,
      bigintAsString: true,
      responses: {
        200: json("A page of transactions", cursorOf(TransactionResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, context, c }) => {
      const { ledger } = params;
      const { settings } = deploymentOf(c);
      const request = pageRead(c, body, () =>
        toTransactionQuery({ ledger, query, body, settings }),
      );
      const written = await AnswerClient.from(context).transactions(ledger, request);
      return { status: 200, written };
    },
  );
  endpoint(
    app,
    {
      method: "head",
      path: "/v2/{ledger}/transactions",
      operationId: "v2CountTransactions",
      summary: "Count transactions",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: CountQuery,
      body: FilterBody,
      responses: { 204: COUNTED, ...errors(404) },
    },
    async ({ params, query, body, context }) => {
      const wanted = toCountQuery(query, body);
      const count = await LedgerService.from(context).countTransactions(params.ledger, wanted);
      return { status: 204, headers: { count: `${count}` } };
    },
  );
}

function registerSingle(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/transactions/{id}",
      operationId: "v2GetTransaction",
      summary: "Read a transaction",
      tags: TAGS,
      scope: "ledger:read",
      params: IdParams,
      query: SingleQuery,
      bigintAsString: true,
      responses: { 200: json("The transaction", dataOf(TransactionResponse)), ...errors(404) },
    },
    async ({ params, query, context, c }) => {
      const written = await AnswerClient.from(context).transaction(params.ledger, params.id, {
        ...toSingleRead(query),
        ...amountsOf(c),
      });
      return { status: 200, written };
    },
  );
}

function registerRevert(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/transactions/{id}/revert",
      operationId: "v2RevertTransaction",
      summary: "Revert a transaction",
      tags: TAGS,
      scope: "ledger:write",
      params: WriteIdParams,
      query: RevertQuery,
      headers: WriteHeaders,
      body: RevertRequest,
      bigintAsString: true,
      responses: {
        201: json("The transaction that reverts it", dataOf(TransactionResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, headers, body, context, c }) => {
      const { force, atEffectiveDate } = query;
      const request = { id: params.id, force, atEffectiveDate, metadata: body?.metadata };
      const { transaction, isReplay } = await AnswerClient.from(context).commit(
        params.ledger,
        () => toRevertTransaction(request),
        { ...writeOptions(headers, query), ...amountsOf(c) },
      );
      return {
        status: 201,
        written: dataText(transaction),
        headers: replayHeaders(isReplay),
      };
    },
  );
}

const METADATA = {
  path: "/v2/{ledger}/transactions/{id}",
  noun: "a transaction",
  tag: "Transactions",
  params: WriteIdParams,
  keyParams: WriteIdKeyParams,
  body: MetadataSchema,
  operationIds: { add: "v2AddMetadataOnTransaction", delete: "v2DeleteTransactionMetadata" },
  toTarget: ({ id }: { id: number }): MetadataTarget => ({ type: "TRANSACTION", id }),
} as const;
