import type { ScriptedTransaction } from "#console/places/numscript/queries.ts";

/** What a transaction does to an account's balance of an asset. */
export interface BalanceChange {
  readonly address: string;
  readonly asset: string;
  readonly before: bigint;
  readonly after: bigint;
}

/** The balances that a transaction touches, by account and asset. */
export function balanceChanges({
  preCommitVolumes = {},
  postCommitVolumes = {},
}: Pick<ScriptedTransaction, "preCommitVolumes" | "postCommitVolumes">): BalanceChange[] {
  return Object.entries(postCommitVolumes).flatMap(([address, volumes]) =>
    Object.entries(volumes).map(([asset, { balance }]) => ({
      address,
      asset,
      before: BigInt(preCommitVolumes[address]?.[asset]?.balance ?? 0),
      after: BigInt(balance),
    })),
  );
}
