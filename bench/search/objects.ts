import type { IndexedEvent } from "#modules/search/core/indexed.ts";

/** Accounts between which the transactions move money. */
export const USERS = 100_000;
const WORDS = ["invoice", "payout", "subscription", "refund", "topup"] as const;

/** A number that looks random and is the same in every run (a linear congruential generator, as Numerical Recipes gives it). */
export const scattered = (at: number): number => (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;

/** What names the transaction of a number: each finds this one, and perhaps a few others. */
export const factsOf = (id: number) => ({
  reference: `order-${id.toString().padStart(8, "0")}`,
  amount: BigInt((scattered(id) % 1_000_000) + 1),
  user: scattered(id * 7) % USERS,
  customer: `cus_${scattered(id * 13).toString(36)}`,
});

/** The event of a transaction with a reference and two pairs of metadata. */
export function transactionEvent(id: number): IndexedEvent & { readonly position: number } {
  const { reference, amount, user, customer } = factsOf(id);
  const destination = `users:${user}:main`;
  const postings = [{ source: "world", destination, amount, asset: "EUR/2" }];
  const metadata = { customer, kind: WORDS[id % WORDS.length] ?? "" };
  const transaction = { id, reference, postings, metadata };
  return {
    type: "COMMITTED_TRANSACTIONS",
    payload: { transactions: [transaction], accountMetadata: {} },
    position: id,
  };
}

/** A payment as its API shows it. */
export const payment = (at: number) => ({
  id: `eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIx${"1".repeat(40)}${at}`,
  reference: `pay-${at}`,
  provider: "generic",
  status: at % 20 === 0 ? "FAILED" : "SUCCEEDED",
  scheme: "SEPA_CREDIT",
  type: "PAY-IN",
  asset: "EUR/2",
  amount: (scattered(at) % 1_000_000) + 1,
  sourceAccountID: `source-${at % 10_000}`,
  metadata: { order: `order-${at}` },
});
