import { z } from "zod";
import type { PrimeAssets } from "./assets.ts";
import { type CoinbasePrimeClient, WALLET_TYPES, type WalletType } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

const Wallet = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  symbol: kit.Text,
  type: kit.Text,
  created_at: kit.Date3339,
  address: kit.OptionalText,
});

/** The wallets of the portfolio, a list for each type of wallet after the other. */
export const fetchAccounts = (
  { client, assets }: { readonly client: CoinbasePrimeClient; readonly assets: PrimeAssets },
  request: kit.FetchRequest,
): Promise<kit.FetchPage<kit.ProviderAccount>> =>
  kit.fetchTokenList(request, {
    readPage: async ({ token, pageSize }) => {
      const { type, cursor } = placeOf(token);
      const { values, next } = await client.listWallets(type, { cursor, pageSize });
      const isOver = next === undefined || next === cursor;
      const following = WALLET_TYPES[WALLET_TYPES.indexOf(type) + 1];
      return { values, next: isOver ? following : `${type} ${next}` };
    },
    read: (value) => toAccount(value, assets),
  });

/** The place of a token: a type of wallets, and the cursor of a page behind it. */
function placeOf(token: string | undefined): {
  readonly type: WalletType;
  readonly cursor: string | undefined;
} {
  const [first] = WALLET_TYPES;
  const type = WALLET_TYPES.find(
    (name) => token === name || token?.startsWith(`${name} `) === true,
  );
  if (type === undefined || token === undefined) return { type: first, cursor: undefined };
  return { type, cursor: token === type ? undefined : token.slice(type.length + 1) };
}

function toAccount(value: unknown, assets: PrimeAssets): kit.ProviderAccount {
  const { id, name, symbol, type, created_at, address } = kit.parseObject(
    Wallet,
    value,
    "a wallet",
  );
  const asset = assets.assetOf(symbol);
  return {
    reference: id,
    createdAt: created_at,
    ...(name === undefined ? {} : { name }),
    ...(asset === undefined ? {} : { defaultAsset: asset }),
    metadata: { symbol, type, ...(address === undefined ? {} : { address }) },
    raw: stringifyJson(value),
  };
}

const Balance = z.object({ symbol: kit.Text, amount: kit.DecimalText });

/** What a wallet holds now; nothing of an asset that the entity does not have. */
export async function fetchBalances(
  {
    client,
    assets,
    clock,
  }: {
    readonly client: CoinbasePrimeClient;
    readonly assets: PrimeAssets;
    readonly clock: Clock;
  },
  { parent }: kit.FetchRequest,
): Promise<kit.FetchPage<kit.ProviderBalance>> {
  const { reference } = kit.requireAccount(parent, "balances");
  const value = await client.balanceOf(reference);
  if (value === undefined) return kit.onlyPage([]);
  const { symbol, amount } = kit.parseObject(Balance, value, "a balance");
  const isKnown = assets.assetOf(symbol) !== undefined;
  return kit.onlyBalance(reference, clock(), isKnown ? assets.amountOf(amount, symbol) : undefined);
}
