import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { toKnownError } from "./errors.ts";
import { withAutoCreatedLedger } from "./implicit-ledger.ts";
import type { BatchRequest, CreateRequest } from "./schemas.ts";
import {
  toTransactionCommand,
  type BulkElement,
  type Outcome,
  type Transaction,
} from "#ledger-engine";
import { writeOptions } from "#modules/ledger/http/requests.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import type { WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import { type AppEnv, takeElements } from "#platform/http/index.ts";
import { attempt, type Result, unwrap } from "#platform/result.ts";

type NewTransaction = z.output<typeof CreateRequest>;

/** The parts of a request to write besides its content. */
export interface WriteRequest {
  readonly c: Context<AppEnv>;
  readonly ledger: string;
  readonly headers: z.output<typeof WriteHeaders>;
  /** Whether the request is a dry run. */
  readonly preview: boolean;
}

/** Commits a transaction. Throws `VALIDATION` for a fault of the transaction or of its script. */
export function commit(
  { c, ledger, headers, preview }: WriteRequest,
  request: NewTransaction,
): Promise<{ transaction: Transaction; isReplay: boolean }> {
  const options = writeOptions(headers, { dryRun: preview });
  return withAutoCreatedLedger(c, ledger, (service) =>
    service.commit(ledger, () => toTransactionCommand(request, { force: false }), options),
  );
}

/** Commits all transactions of a batch, or none. An error names the transaction that is refused, counted from 0. */
export async function commitBatch(
  { c, ledger }: Pick<WriteRequest, "c" | "ledger">,
  { transactions }: z.output<typeof BatchRequest>,
): Promise<Transaction[]> {
  await takeElements(c, transactions.length);
  const elements = transactions.map(toElement);
  const options = { atomic: true, continueOnFailure: false, settings: ledgerSettings.of(c.env) };
  const results = await withAutoCreatedLedger(c, ledger, (service) =>
    service.executeBulk(ledger, () => elements, options),
  );
  return results.map(transactionOf);
}

/** The element of a transaction. An error in it is thrown when its turn comes, so that the first error of the batch counts. */
const toElement = (request: NewTransaction): BulkElement => ({
  idempotencyKey: "",
  command: attempt(() => toTransactionCommand(request, { force: false })),
});

function transactionOf(result: Result<Outcome>, index: number): Transaction {
  try {
    const { transaction } = unwrap(result);
    if (transaction !== undefined) return transaction;
  } catch (error) {
    throw toKnownError(error, `transaction ${index}: `);
  }
  throw new Error("a batch made no transaction");
}
