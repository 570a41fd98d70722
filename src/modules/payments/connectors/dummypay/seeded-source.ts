import { createHash } from "node:crypto";
import type { DummySource } from "./source.ts";
import type * as kit from "#modules/payments/connectors/kit/index.ts";
import { assetOf } from "#modules/payments/core/assets.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";

/** The books of a company: its accounts at a bank, the accounts of its suppliers, and the payments of a year. */

const CURRENCIES = ["EUR", "USD", "GBP"] as const;
const PURPOSES = ["main", "payroll"] as const;
const SUPPLIERS = ["landlord", "hosting", "insurance", "advisers"] as const;
/** Number of payments of each account. */
const PAYMENTS = 12;
/** The time at which the accounts were opened, and the time between two payments, in milliseconds. */
const OPENED_MS = Date.UTC(2025, 0, 2, 9);
const STEP_MS = 28 * 24 * 3_600_000;

interface SeededBooks {
  readonly accounts: readonly kit.ProviderAccount[];
  readonly externalAccounts: readonly kit.ProviderAccount[];
  readonly payments: readonly kit.ProviderPayment[];
  readonly balances: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

/** Books that are derived from a name. The balance of each account is the sum of its payments. */
export function seededSource(name: string): DummySource {
  let made: SeededBooks | undefined;
  const books = (): SeededBooks => (made ??= makeBooks(name));
  return {
    accounts: async () => ({ items: books().accounts }),
    externalAccounts: async () => books().externalAccounts,
    payments: async () => books().payments,
    balances: async (account) => books().balances.get(account) ?? new Map(),
  };
}

function makeBooks(name: string): SeededBooks {
  const accounts = CURRENCIES.flatMap((currency, place) =>
    PURPOSES.map((purpose) =>
      makeAccount(`${purpose}-${currency.toLowerCase()}`, {
        name: `${purpose} ${currency}`,
        createdAt: dateOf(0, place),
        asset: assetOf(currency),
      }),
    ),
  );
  const externalAccounts = SUPPLIERS.map((supplier, place) =>
    makeAccount(supplier, {
      name: supplier,
      createdAt: dateOf(0, CURRENCIES.length + place),
      asset: assetOf("EUR"),
    }),
  );
  const payments = accounts
    .flatMap((account, place) => makePayments(name, account, place))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return { accounts, externalAccounts, payments, balances: sumUp(accounts, payments) };
}

function makeAccount(
  reference: string,
  account: { name: string; createdAt: Timestamp; asset: string },
): kit.ProviderAccount {
  const { name, createdAt, asset } = account;
  const raw = stringifyJson({ id: reference, name, currency: asset });
  return { reference, name, createdAt, defaultAsset: asset, metadata: {}, raw };
}

/**
 * The payments of an account. Every third one, from the first one on, comes in, so that no balance is ever negative; the last but one has failed, and the last one is
 * pending.
 */
function makePayments(
  name: string,
  account: kit.ProviderAccount,
  place: number,
): kit.ProviderPayment[] {
  const { reference: own, defaultAsset: asset = "" } = account;
  return Array.from({ length: PAYMENTS }, (_, index) => {
    const isIncoming = index % 3 === 0;
    const reference = `${own}-${String(index + 1).padStart(3, "0")}`;
    const size = amountFrom(`${name}/${reference}`);
    const supplier = SUPPLIERS[(index + place) % SUPPLIERS.length] ?? "landlord";
    const status: kit.PaymentStatus =
      index === PAYMENTS - 1 ? "PENDING" : index === PAYMENTS - 2 ? "FAILED" : "SUCCEEDED";
    // An incoming amount exceeds the two payouts that follow.
    const amount = isIncoming ? size + 2n * AMOUNT_MAX : size;
    return {
      reference,
      createdAt: dateOf(index + 1, place),
      type: isIncoming ? "PAY-IN" : "PAYOUT",
      amount,
      asset,
      scheme: isIncoming ? "SEPA_DEBIT" : "SEPA_CREDIT",
      status,
      ...(isIncoming
        ? { destinationReference: own }
        : { sourceReference: own, destinationReference: supplier }),
      metadata: { invoice: `${new Date(OPENED_MS).getUTCFullYear()}-${index + 1}` },
      raw: stringifyJson({ id: reference, amount: amount.toString(), currency: asset }),
    };
  });
}

const AMOUNT_MAX = 1_000_000n;

/** An amount from 1 to the largest amount, derived from a text. */
const amountFrom = (text: string): bigint =>
  1n + (createHash("sha256").update(text).digest().readBigUInt64BE() % AMOUNT_MAX);

const dateOf = (step: number, place: number): Timestamp =>
  fromMillis(OPENED_MS + step * STEP_MS + place * 60_000);

function sumUp(accounts: readonly kit.ProviderAccount[], payments: readonly kit.ProviderPayment[]) {
  const balances = new Map<string, Map<string, bigint>>(
    accounts.map(({ reference, defaultAsset = "" }) => [reference, new Map([[defaultAsset, 0n]])]),
  );
  for (const { status, amount, asset, sourceReference, destinationReference } of payments) {
    if (status !== "SUCCEEDED") continue;
    const add = (account: string | undefined, change: bigint): void => {
      const of = balances.get(account ?? "");
      of?.set(asset, (of.get(asset) ?? 0n) + change);
    };
    add(sourceReference, -amount);
    add(destinationReference, amount);
  }
  return balances;
}
