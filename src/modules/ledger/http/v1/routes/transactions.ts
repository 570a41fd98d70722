import { z } from "@hono/zod-openapi";
import { toExpansion, toRevertTransaction, type Transaction } from "#ledger-engine";
import { counted, replayable } from "#modules/ledger/http/answers.ts";
import { toSingleRead, TRANSACTION_FIELDS, writeOptions } from "#modules/ledger/http/requests.ts";
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
import { LedgerParams, SingleQuery, WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const transactions = operations({
  path: "/{ledger}/transactions",
  tags: ["Ledger API v1"],
  scope: "ledger",
  params: LedgerParams,
});

interface Written {
  readonly transaction: Transaction;
  readonly isReplay: boolean;
}

export const registerTransactions = registration(
  transactions.post("", {
    operationId: "createTransaction",
    summary: "Commit a transaction",
    description: "From postings or from a script. A ledger that does not exist is created.",
    query: WriteQuery,
    headers: WriteHeaders,
    body: CreateRequest,
    recordedFields: TRANSACTION_FIELDS,
    answer: replayable(
      ok.data("Committed", z.array(TransactionV1Response), ({ transaction }: Written) => [
        toTransactionV1View(transaction),
      ]),
    ),
    errors: [404, 409],
    handle: ({ params: { ledger }, query: { preview }, headers, body, c }) =>
      commit({ c, ledger, headers, preview }, body),
  }),
  transactions.post("/batch", {
    operationId: "CreateTransactions",
    summary: "Commit several transactions, all or none",
    description:
      "An idempotency key is refused here. References keep transactions from being committed twice.",
    unsupportedQuery: ["preview"],
    body: BatchRequest,
    recordedFields: TRANSACTION_FIELDS.map((name) => `transactions.${name}`),
    answer: ok.list("Committed", TransactionV1Response, toTransactionV1View),
    errors: [404, 409],
    handle: ({ params: { ledger }, body, c }) => {
      if ((c.req.header("idempotency-key") ?? "") !== "") {
        throw new AppError("VALIDATION", "a batch takes no idempotency key");
      }
      return commitBatch({ c, ledger }, body);
    },
  }),
  transactions.get("", {
    operationId: "listTransactions",
    summary: "List transactions, newest first",
    query: TransactionListQuery,
    answer: ok.page("A page of transactions", TransactionV1Response, toTransactionV1View),
    errors: [404],
    handle: ({ params: { ledger }, query, c }) => {
      const wanted = toTransactionPage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = { ...toExpansion(wanted.expand), volumes: true };
      return withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listTransactions(ledger, wanted, expand),
      );
    },
  }),
  transactions.head("", {
    operationId: "countTransactions",
    summary: "Count transactions",
    query: TransactionFilterQuery,
    // The status is not 204, as it is for accounts, because the official clients accept only 200.
    answer: counted(200),
    errors: [404],
    handle: ({ params: { ledger }, query, c }) => {
      const wanted = { where: transactionFilter(query), pit: query.pit };
      return withLedgerOrEmpty(c, ledger, (reader) => reader.countTransactions(ledger, wanted));
    },
  }),
  transactions.get("/{txid}", {
    operationId: "getTransaction",
    summary: "Read a transaction",
    params: TransactionParams,
    query: SingleQuery,
    answer: ok.data("The transaction", TransactionV1Response, toTransactionV1View),
    errors: [404],
    handle: ({ params: { ledger, txid }, query, c }) =>
      withLedgerOrEmpty(c, ledger, (reader) =>
        reader.getTransaction(ledger, txid, toSingleRead(query)),
      ),
  }),
  transactions.post("/{txid}/revert", {
    operationId: "revertTransaction",
    summary: "Revert a transaction",
    params: TransactionParams,
    query: RevertQuery,
    headers: WriteHeaders,
    answer: replayable(
      ok.created(
        "The transaction that reverts it",
        TransactionV1Response,
        ({ transaction }: Written) => toTransactionV1View(transaction),
      ),
    ),
    errors: [404],
    handle: ({ params: { ledger, txid }, query: { preview, disableChecks }, headers, c }) => {
      const request = { id: txid, force: disableChecks, atEffectiveDate: false };
      const options = writeOptions(headers, { dryRun: preview });
      return withAutoCreatedLedger(c, ledger, (service) =>
        service.commit(ledger, () => toRevertTransaction(request), options),
      );
    },
  }),
);
