import type { WalletMetadata } from "./keys.ts";

/** An account of the ledger, as far as wallets look at it. */
export interface BookAccount {
  readonly address: string;
  readonly metadata: WalletMetadata;
  readonly firstUsage: string;
  readonly volumes: Readonly<
    Record<string, { readonly input: bigint; readonly output: bigint; readonly balance: bigint }>
  >;
}

/** Amounts by asset. */
export type Assets = Readonly<Record<string, bigint>>;

/** What an account holds of each asset that it ever held. */
export const assetsOf = ({ volumes }: Pick<BookAccount, "volumes">): Assets =>
  Object.fromEntries(Object.entries(volumes).map(([asset, { balance }]) => [asset, balance]));
