import type { AssetBalances } from "#modules/reconciliation/core/balances.ts";

/** Accounts of a ledger, or a pool of payments, whose balances a rule reads. */
export type BalanceSource =
  | {
      readonly kind: "ledger";
      readonly ledger: string;
      readonly query: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "pool"; readonly poolId: string };

/** The balances of a source by account; a source that is read as a whole has one entry, under `WHOLE`. */
export type Reading = ReadonlyMap<string, AssetBalances>;

/** The name under which a reading has the balances of a whole source. No account has it. */
export const WHOLE = "";

/** The outcome of one check. All balances are texts of decimal digits; tolerances and bounds in evidence are integers. */
export type CheckOutcome =
  | {
      readonly fingerprint: string;
      readonly passed: true;
      readonly proof: Readonly<Record<string, string>>;
    }
  | {
      readonly fingerprint: string;
      readonly passed: false;
      readonly evidence: Evidence;
    };

export type Evidence = Readonly<Record<string, unknown>>;

/** The check of a rule: what it reads, and what follows from the readings. */
export interface Template {
  readonly sources: readonly BalanceSource[];
  /** Whether sources are read account by account. */
  readonly isPerAccount: boolean;
  /** An expression that shows what is checked, for people. */
  readonly explanation: string;
  /** The outcomes of readings, which are in the order of the sources. */
  readonly outcomes: (readings: readonly Reading[]) => Iterable<CheckOutcome>;
}

/** The name of a source: `ledger:main`, `pool:7f0e…`. */
export const labelOf = (source: BalanceSource): string =>
  source.kind === "ledger" ? `ledger:${source.ledger}` : `pool:${source.poolId}`;

/** The keys of sources: the label, and how many sources before it have the same one, as in `ledger:main#1`. */
export function sourceKeys(sources: readonly BalanceSource[]): string[] {
  const counts = new Map<string, number>();
  return sources.map((source) => {
    const label = labelOf(source);
    const count = counts.get(label) ?? 0;
    counts.set(label, count + 1);
    return `${label}#${count}`;
  });
}

/** The identity of an outcome in its rule, by which its alert is found again. */
export const fingerprintOf = (asset: string, account: string): string =>
  account === WHOLE ? `asset:${asset}` : `asset:${asset}|account:${account}`;

/** The balance of an account in an asset; zero where a reading has none. */
export const balanceIn = (reading: Reading | undefined, account: string, asset: string): bigint =>
  reading?.get(account)?.[asset] ?? 0n;
