import type { OpenAPIHono } from "@hono/zod-openapi";
import {
  type Command,
  MetadataOfAccountRequest,
  type MetadataTarget,
  parseAccount,
} from "#ledger-engine";
import { replayHeaders, writeOptions } from "#modules/ledger/http/requests.ts";
import { withAutoCreatedLedger } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { parseTransactionId } from "#modules/ledger/http/v1/requests.ts";
import {
  TransactionKeyParams,
  TransactionTextParams,
  WriteQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import type { WriteRequest } from "#modules/ledger/http/v1/writes.ts";
import { AddressKeyParams, AddressParams, WriteHeaders } from "#modules/ledger/wire/schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors } from "#platform/http/endpoint.ts";
import { MetadataSchema } from "#platform/http/schemas.ts";

const COMMON = {
  tags: ["Ledger API v1"],
  scope: "ledger:write",
  query: WriteQuery,
  headers: WriteHeaders,
} as const;

export function registerMetadata(app: OpenAPIHono<AppEnv>): void {
  registerAdditions(app);
  registerDeletions(app);
}

function registerAdditions(app: OpenAPIHono<AppEnv>): void {
  const common = { ...COMMON, method: "post" } as const;
  const responses = { 204: empty("Added"), ...errors(404) };
  endpoint(
    app,
    {
      ...common,
      path: "/{ledger}/transactions/{txid}/metadata",
      operationId: "addMetadataOnTransaction",
      summary: "Add metadata to a transaction",
      params: TransactionTextParams,
      body: MetadataSchema,
      responses,
    },
    ({ params: { ledger, txid }, query, headers, body: metadata, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "setMetadata",
        target: { type: "TRANSACTION", id: parseTransactionId(txid) },
        metadata,
      })),
  );
  endpoint(
    app,
    {
      ...common,
      path: "/{ledger}/accounts/{address}/metadata",
      operationId: "addMetadataToAccount",
      summary: "Add metadata to an account",
      params: AddressParams,
      body: MetadataOfAccountRequest,
      responses,
    },
    ({ params: { ledger, address }, query, headers, body: metadata, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "setMetadata",
        target: accountOf(address),
        metadata,
      })),
  );
}

function registerDeletions(app: OpenAPIHono<AppEnv>): void {
  const common = { ...COMMON, method: "delete" } as const;
  const responses = { 204: empty("Deleted"), ...errors(404) };
  endpoint(
    app,
    {
      ...common,
      path: "/{ledger}/transactions/{txid}/metadata/{key}",
      operationId: "deleteTransactionMetadata",
      summary: "Delete a metadata key of a transaction",
      params: TransactionKeyParams,
      responses,
    },
    ({ params: { ledger, txid, key }, query, headers, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "deleteMetadata",
        target: { type: "TRANSACTION", id: txid },
        key,
      })),
  );
  endpoint(
    app,
    {
      ...common,
      path: "/{ledger}/accounts/{address}/metadata/{key}",
      operationId: "deleteAccountMetadata",
      summary: "Delete a metadata key of an account, whether it exists or not",
      params: AddressKeyParams,
      responses,
    },
    ({ params: { ledger, address, key }, query, headers, c }) =>
      write({ c, ledger, headers, ...query }, () => ({
        kind: "deleteMetadata",
        target: accountOf(address),
        key,
      })),
  );
}

const accountOf = (address: string): MetadataTarget => ({
  type: "ACCOUNT",
  id: parseAccount(address, "account"),
});

async function write({ c, ledger, headers, preview }: WriteRequest, toCommand: () => Command) {
  const options = writeOptions(headers, { dryRun: preview });
  const { isReplay } = await withAutoCreatedLedger(c, ledger, (service) =>
    service.execute(ledger, toCommand, options),
  );
  return { status: 204, headers: replayHeaders(isReplay) } as const;
}
