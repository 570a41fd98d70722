import { expect } from "vitest";
import { Flows } from "./flows.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { listInitiations } from "#modules/payments/initiations/list.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { createWallet, creditWallet, getWallet } from "#modules/wallets/index.ts";
import { type StoredConnector } from "#test/support/payments/connectors.ts";
import { account as providerAccount, payment } from "#test/support/payments/provider-objects.ts";
import { freshName } from "#test/support/platform/api.ts";

/** The instances of tests about sends. */
export const flows = new Flows();
export const EUR = "EUR/2";
export const WALLETS = "wallets-002";
export const INTERNAL = "orchestration-000-internal";

export async function freshLedger(name: string): Promise<string> {
  const ledger = freshName(name);
  await new LedgerClient(flows.context, ledger).create();
  return ledger;
}

/** An account with money in a ledger. */
export async function funded(ledger: string, total = 1000n): Promise<string> {
  const address = `users:${freshName("u")}`;
  const postings = [{ source: "world", destination: address, amount: total, asset: EUR }];
  await new LedgerClient(flows.context, ledger).commit({ postings }, { idempotencyKey: undefined });
  return address;
}

export async function freshWallet(
  total = 1000n,
  metadata: Record<string, string> = {},
): Promise<string> {
  const { id } = await createWallet(flows.context, {
    name: freshName("wallet"),
    metadata,
    idempotencyKey: undefined,
  });
  const credit = { walletId: id, amount: total, asset: EUR, idempotencyKey: undefined };
  if (total > 0n) await creditWallet(flows.context, credit);
  return id;
}

export const mainOf = (wallet: string) => `wallets:${wallet.replaceAll("-", "")}:main`;

export async function freshPayment(connector: StoredConnector, total: bigint): Promise<string> {
  const installed = await requireConnector(flows.context, connector.id);
  const reference = freshName("pay-in");
  const payments = [payment(reference, { amount: total })];
  await storePage(flows.context, () =>
    preparePayments(flows.context, { connector: installed, payments }),
  );
  return encodePaymentId({ connector: connector.id, reference, type: "PAY-IN" });
}

/** An account at the provider to which payments can go. */
export async function freshPayee(connector: StoredConnector): Promise<string> {
  const installed = await requireConnector(flows.context, connector.id);
  const reference = freshName("payee");
  const accounts = [providerAccount(reference)];
  await storePage(flows.context, () =>
    prepareAccounts(flows.context, { connector: installed, type: "EXTERNAL", accounts }),
  );
  return connector.idOf(reference);
}

/** The transactions of an instance in a ledger: their postings and metadata, oldest first. */
export async function movedIn(ledger: string, instance: string) {
  const moved = [];
  const where = { $match: { "metadata[orchestration/instance]": instance } };
  for await (const { postings, metadata, reference } of new LedgerClient(
    flows.context,
    ledger,
  ).transactions({ where: ledger === WALLETS ? undefined : where })) {
    const { "orchestration/instance": _instance, ...shown } = metadata;
    const parts = postings.map((posting) => [posting.source, posting.destination, posting.amount]);
    moved.push([...parts, shown, ...(reference === undefined ? [] : [reference])]);
  }
  return moved;
}

export const movedInWallets = async (count: number) =>
  (await movedIn(WALLETS, "")).slice(-count).map(([posting]) => posting);

/** Asserts the initiation of an activity, whose reference is the activity's key. */
export async function expectInitiation(reference: string, expected: object) {
  const { data } = await listInitiations(flows.context, {
    kind: "column",
    column: "created_at",
    order: "desc",
    pageSize: 10,
    reverse: false,
    where: JSON.stringify({ $match: { reference } }),
  });
  expect(data).toHaveLength(1);
  const [{ state, type, description, metadata } = expect.fail("no initiation")] = data;
  const { amount: moved, status } = state;
  expect({ amount: moved, type, description }).toEqual(expected);
  expect(reference.startsWith(metadata["orchestration/instance"] ?? "-")).toBe(true);
  expect(status).toBe("WAITING_FOR_VALIDATION");
}

export async function nameOf(id: string): Promise<string> {
  const { name } = await getWallet(flows.context, id);
  return name;
}
