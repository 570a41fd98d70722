import { okBodyOf } from "#test/support/ledger/api.ts";
import { type ApiInit, api, freshName } from "#test/support/platform/api.ts";

export const inWallets = (path: string, init?: ApiInit): Promise<Response> =>
  api(`/api/wallets${path}`, init);

/** Creates a wallet with an amount on its main balance; returns its path and its id. */
export async function freshWallet(amount: number | bigint = 0) {
  const { data } = await okBodyOf<{ data: { id: string } }>(
    inWallets("/wallets", { body: { name: freshName("wallet"), metadata: {} } }),
  );
  const wallet = { id: data.id, path: `/wallets/${data.id}` };
  if (amount > 0) await credited(wallet.path, { amount: usd(amount) });
  return wallet;
}

export const usd = (amount: number | bigint) => ({ amount, asset: "USD/2" });

/** Credits a wallet. Throws for a refused credit. */
export const credited = (path: string, body: object): Promise<unknown> =>
  succeeded(inWallets(`${path}/credit`, { body }));

/** Throws unless an answer without a body is a success; returns its status. */
export async function succeeded(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  if (response.ok) return response.status;
  throw new Error(`${response.status}: ${await response.text()}`);
}

/** Creates a hold; returns its id. */
export async function freshHold(path: string, body: object): Promise<string> {
  const init = { body: { pending: true, ...body } };
  const { data } = await okBodyOf<{ data: { id: string } }>(inWallets(`${path}/debit`, init));
  return data.id;
}

/** The dollars on a balance. */
export async function heldIn(path: string, balance = "main"): Promise<number | bigint> {
  const { data } = await okBodyOf<{ data: { assets: Record<string, number | bigint> } }>(
    inWallets(`${path}/balances/${balance}`),
  );
  return data.assets["USD/2"] ?? 0;
}
