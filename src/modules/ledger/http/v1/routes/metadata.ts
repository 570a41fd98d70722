import {
  type Command,
  MetadataOfAccountRequest,
  type MetadataTarget,
  parseAccount,
} from "#ledger-engine";
import { written } from "#modules/ledger/http/answers.ts";
import { writeOptions } from "#modules/ledger/http/requests.ts";
import { withAutoCreatedLedger } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { parseTransactionId } from "#modules/ledger/http/v1/requests.ts";
import {
  TransactionKeyParams,
  TransactionTextParams,
  WriteQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import type { WriteRequest } from "#modules/ledger/http/v1/writes.ts";
import { AddressKeyParams, AddressParams, WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import { MetadataSchema, operations, registration } from "#platform/http/index.ts";

const accountOf = (address: string): MetadataTarget => ({
  type: "ACCOUNT",
  id: parseAccount(address, "account"),
});

function write({ c, ledger, headers, preview }: WriteRequest, toCommand: () => Command) {
  const options = writeOptions(headers, { dryRun: preview });
  return withAutoCreatedLedger(c, ledger, (service) => service.execute(ledger, toCommand, options));
}

const metadataOf = operations({ path: "/{ledger}", tags: ["Ledger API v1"], scope: "ledger" });
const ADDED = {
  query: WriteQuery,
  headers: WriteHeaders,
  answer: written("Added"),
  errors: [404] as const,
};
const DELETED = { ...ADDED, answer: written("Deleted") };

export const registerMetadata = registration(
  metadataOf.post("/transactions/{txid}/metadata", {
    operationId: "addMetadataOnTransaction",
    summary: "Add metadata to a transaction",
    params: TransactionTextParams,
    body: MetadataSchema,
    ...ADDED,
    handle: ({ params: { ledger, txid }, query, headers, body: metadata, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "setMetadata",
        target: { type: "TRANSACTION", id: parseTransactionId(txid) },
        metadata,
      })),
  }),
  metadataOf.post("/accounts/{address}/metadata", {
    operationId: "addMetadataToAccount",
    summary: "Add metadata to an account",
    params: AddressParams,
    body: MetadataOfAccountRequest,
    ...ADDED,
    handle: ({ params: { ledger, address }, query, headers, body: metadata, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "setMetadata",
        target: accountOf(address),
        metadata,
      })),
  }),
  metadataOf.delete("/transactions/{txid}/metadata/{key}", {
    operationId: "deleteTransactionMetadata",
    summary: "Delete a metadata key of a transaction",
    params: TransactionKeyParams,
    ...DELETED,
    handle: ({ params: { ledger, txid, key }, query, headers, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "deleteMetadata",
        target: { type: "TRANSACTION", id: txid },
        key,
      })),
  }),
  metadataOf.delete("/accounts/{address}/metadata/{key}", {
    operationId: "deleteAccountMetadata",
    summary: "Delete a metadata key of an account, whether it exists or not",
    params: AddressKeyParams,
    ...DELETED,
    handle: ({ params: { ledger, address, key }, query, headers, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "deleteMetadata",
        target: accountOf(address),
        key,
      })),
  }),
);
