import type { ActivityCall } from "./call.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import type { ActivityInputs, TransactionData } from "#modules/orchestration/core/activities.ts";
import { INTERNAL_LEDGER } from "#modules/orchestration/core/send.ts";
import { assertMay } from "#modules/orchestration/instances/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The key of metadata that names the instance by which something was written. */
export const INSTANCE_KEY = "orchestration/instance";

export async function getAccount(
  { context }: ActivityCall,
  { ledger, id }: ActivityInputs["GetAccount"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "ledger:read", ledger });
  try {
    const { address, metadata, volumes } = await new LedgerClient(context, ledger).account(id);
    return { address, metadata, volumes };
  } catch (error) {
    // A stage reads an account that was never used as an empty one, as clients of the ledger do.
    if (!(error instanceof AppError) || error.kind !== "NOT_FOUND") throw error;
    return { address: id, metadata: {}, volumes: {} };
  }
}

export async function addAccountMetadata(
  { context, key }: ActivityCall,
  { ledger, account, metadata }: ActivityInputs["AddAccountMetadata"],
): Promise<undefined> {
  assertMay(context.principal, { scope: "ledger:write", ledger });
  const idempotencyKey = keyOf(key);
  await new LedgerClient(context, ledger).saveMetadata(
    { targetType: "ACCOUNT", targetId: account },
    metadata,
    { idempotencyKey },
  );
  return undefined;
}

export async function createTransaction(
  call: ActivityCall,
  { ledger, data }: ActivityInputs["CreateTransaction"],
): Promise<unknown> {
  const { context } = call;
  assertMay(context.principal, { scope: "ledger:write", ledger });
  const client = new LedgerClient(context, ledger);
  try {
    return await commit(client, call, data);
  } catch (error) {
    const isMissing = error instanceof AppError && error.kind === "LEDGER_NOT_FOUND";
    if (!isMissing || ledger !== INTERNAL_LEDGER) throw error;
    await client.create();
    return commit(client, call, data);
  }
}

async function commit(
  client: LedgerClient,
  { key, instanceId }: ActivityCall,
  { metadata, postings, script, reference, timestamp }: TransactionData,
) {
  const fields = {
    metadata: { ...metadata, [INSTANCE_KEY]: instanceId },
    ...(reference === undefined ? {} : { reference }),
    ...(timestamp === undefined ? {} : { timestamp: formatTimestamp(timestamp) }),
  };
  const write = { idempotencyKey: keyOf(key) };
  const transaction =
    script === undefined
      ? await client.commit({ ...fields, postings: postings ?? [] }, write)
      : await client.run({ ...fields, script: script.plain, runtime: "machine" }, write);
  const { [INSTANCE_KEY]: _instance, ...shown } = transaction.metadata;
  return {
    id: transaction.id,
    metadata: shown,
    postings: transaction.postings,
    reverted: transaction.reverted,
    timestamp: transaction.timestamp,
    ...(transaction.reference === undefined ? {} : { reference: transaction.reference }),
  };
}

/** The prefix keeps the keys of orchestration apart from those of other clients of the ledger. */
export const keyOf = (key: string): string => `orchestration/${key}`;
