import { expect } from "vitest";
import { freshLedger } from "#test/support/ledger/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

export const { v2 } = sdk().ledger;

export const USD = "USD/2";

/** A time of a day in the past, long before the ledgers of the tests are written. */
export const at = (time: string): Date => new Date(`2020-02-03T${time}:00.250Z`);

export interface Payment {
  readonly way: string;
  readonly amount: bigint;
  readonly time: string;
  readonly fields?: {
    readonly reference?: string;
    readonly metadata?: Record<string, string>;
    readonly accountMetadata?: Record<string, Record<string, string>>;
  };
}

export async function pay(ledger: string, { way, amount, time, fields }: Payment): Promise<void> {
  const [source = "", destination = ""] = way.split(" -> ");
  const answer = await v2.createTransaction({
    ledger,
    v2PostTransaction: {
      metadata: {},
      postings: [{ source, destination, amount, asset: USD }],
      timestamp: at(time),
      ...fields,
    },
  });
  expect(answer.statusCode).toBe(200);
}

/**
 * Creates a ledger with transactions 1 to 3 at 10:00, 12:00 and 11:00, in this order. Transaction 4 reverts transaction 2 at
 * the current time. `users:2` has only metadata.
 */
export async function writtenLedger(): Promise<string> {
  const ledger = await freshLedger();
  await pay(ledger, {
    way: "world -> users:1",
    amount: 100n,
    time: "10:00",
    fields: { metadata: { kind: "deposit" }, accountMetadata: { "users:1": { tier: "gold" } } },
  });
  await pay(ledger, {
    way: "users:1 -> shops:42:main",
    amount: 30n,
    time: "12:00",
    fields: { reference: "order-1", metadata: { kind: "order" } },
  });
  await pay(ledger, { way: "world -> users:1", amount: 5n, time: "11:00" });
  await v2.revertTransaction({ ledger, id: 2n });
  await v2.addMetadataToAccount({ ledger, address: "users:2", requestBody: { tier: "silver" } });
  return ledger;
}
