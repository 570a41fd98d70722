import type { WalletMetadata } from "./keys.ts";

/** The part of a ledger's account that wallets read. */
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

/** The balances of an account, by each asset that it has ever held. */
export const assetsOf = ({ volumes }: Pick<BookAccount, "volumes">): Assets =>
  Object.fromEntries(Object.entries(volumes).map(([asset, { balance }]) => [asset, balance]));
