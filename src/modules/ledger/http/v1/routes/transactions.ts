import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { toExpansion, toRevertTransaction } from "#ledger-engine";
import { replayHeaders, toSingleRead, writeOptions } from "#modules/ledger/http/requests.ts";
import { transactionFilter } from "#modules/ledger/http/v1/filters.ts";
import {
  withAutoCreatedLedger,
  withLedgerOrEmpty,
} from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toTransactionPage } from "#modules/ledger/http/v1/requests.ts";
import {
  BatchRequest,
  CreateRequest,
  RevertQuery,
  TransactionFilterQuery,
  TransactionListQuery,
  TransactionParams,
  TransactionV1Response,
  WriteQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import { toTransactionV1View } from "#modules/ledger/http/v1/views.ts";
import { commit, commitBatch } from "#modules/ledger/http/v1/writes.ts";
import { COUNTED, LedgerParams, SingleQuery, WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Ledger API v1"];

export function registerTransactions(app: OpenAPIHono<AppEnv>): void {
  registerCreate(app);
  registerBatch(app);
  registerList(app);
  registerCount(app);
  registerSingle(app);
  registerRevert(app);
}

function registerCreate(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/{ledger}/transactions",
      operationId: "createTransaction",
      summary: "Commit a transaction",
      description: "From postings or from a script. A ledger that does not exist is created.",
      tags: TAGS,
      scope: "ledger:write",
      params: LedgerParams,
      query: WriteQuery,
      headers: WriteHeaders,
      body: CreateRequest,
      responses: {
        200: json("Committed", dataOf(z.array(TransactionV1Response))),
        ...errors(404, 409),
      },
    },
    async ({ params: { ledger }, query: { preview }, headers, body, c }) => {
      const { transaction, isReplay } = await commit({ c, ledger, headers, preview }, body);
      const data = [toTransactionV1View(transaction)];
      return { status: 200, body: { data }, headers: replayHeaders(isReplay) };
    },
  );
}

function registerBatch(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/{ledger}/transactions/batch",
      operationId: "CreateTransactions",
      summary: "Commit several transactions, all or none",
      description:
        "An idempotency key is refused here. References keep transactions from being committed twice.",
      tags: TAGS,
      scope: "ledger:write",
      params: LedgerParams,
      unsupportedQuery: ["preview"],
      body: BatchRequest,
      responses: {
        200: json("Committed", dataOf(z.array(TransactionV1Response))),
        ...errors(404, 409),
      },
    },
    async ({ params: { ledger }, body, c }) => {
      if ((c.req.header("idempotency-key") ?? "") !== "") {
        throw new AppError("VALIDATION", "a batch takes no idempotency key");
      }
      const transactions = await commitBatch({ c, ledger }, body);
      return { status: 200, body: { data: transactions.map(toTransactionV1View) } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/transactions",
      operationId: "listTransactions",
      summary: "List transactions, newest first",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: TransactionListQuery,
      responses: {
        200: json("A page of transactions", cursorOf(TransactionV1Response)),
        ...errors(404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = toTransactionPage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = { ...toExpansion(wanted.expand), volumes: true };
      const page = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listTransactions(ledger, wanted, expand),
      );
      return { status: 200, body: toCursorView(mapPage(page, toTransactionV1View)) };
    },
  );
}

function registerCount(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "head",
      path: "/{ledger}/transactions",
      operationId: "countTransactions",
      summary: "Count transactions",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: TransactionFilterQuery,
      // The status is not 204, as it is for accounts, because the official clients accept only 200.
      responses: { 200: COUNTED, ...errors(404) },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = { where: transactionFilter(query), pit: query.pit };
      const count = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.countTransactions(ledger, wanted),
      );
      return { status: 200, headers: { count: `${count}` } };
    },
  );
}

function registerSingle(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/transactions/{txid}",
      operationId: "getTransaction",
      summary: "Read a transaction",
      tags: TAGS,
      scope: "ledger:read",
      params: TransactionParams,
      query: SingleQuery,
      responses: {
        200: json("The transaction", dataOf(TransactionV1Response)),
        ...errors(404),
      },
    },
    async ({ params: { ledger, txid }, query, c }) => {
      const transaction = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.getTransaction(ledger, txid, toSingleRead(query)),
      );
      return { status: 200, body: { data: toTransactionV1View(transaction) } };
    },
  );
}

function registerRevert(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/{ledger}/transactions/{txid}/revert",
      operationId: "revertTransaction",
      summary: "Revert a transaction",
      tags: TAGS,
      scope: "ledger:write",
      params: TransactionParams,
      query: RevertQuery,
      headers: WriteHeaders,
      responses: {
        201: json("The transaction that reverts it", dataOf(TransactionV1Response)),
        ...errors(404),
      },
    },
    async ({ params: { ledger, txid }, query: { preview, disableChecks }, headers, c }) => {
      const request = { id: txid, force: disableChecks, atEffectiveDate: false };
      const options = writeOptions(headers, { dryRun: preview });
      const { transaction, isReplay } = await withAutoCreatedLedger(c, ledger, (service) =>
        service.commit(ledger, () => toRevertTransaction(request), options),
      );
      return {
        status: 201,
        body: { data: toTransactionV1View(transaction) },
        headers: replayHeaders(isReplay),
      };
    },
  );
}
