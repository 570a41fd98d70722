import { afterAll, beforeAll, expect, test } from "vitest";
import { StartedPayments } from "#test/support/payments/started/server.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { COINBASE_PRIME_CONFIG, FakeCoinbasePrime } from "#test/support/psp/coinbaseprime.ts";

const prime = new FakeCoinbasePrime();
let started: StartedPayments;

beforeAll(async () => {
  started = await StartedPayments.start("coinbaseprime", prime, "https://api.prime.coinbase.com");
});
afterAll(() => started.close());

/** The items of a list of the API. */
async function list(path: string): Promise<readonly Record<string, unknown>[]> {
  const answer = (await started.server.json(`/api/payments/v3${path}`)) as {
    cursor: { data: Record<string, unknown>[] };
  }; // every list has this shape
  return answer.cursor.data;
}

test("wallets, transactions, conversions and orders of Coinbase Prime reach the API", async () => {
  prime.addWallet();
  prime.addWallet();
  prime.addTransaction();
  prime.addTransaction({ type: "CONVERSION", symbol: "USD", destination_symbol: "USDC" });
  const open = prime.addOrder({ status: "OPEN", filled_quantity: "0.25" });
  const body = { provider: "coinbaseprime", name: "prime", ...COINBASE_PRIME_CONFIG };
  await started.server.json("/api/payments/v3/connectors/install/coinbaseprime", { body });

  await eventually(async () => {
    const accounts = await list("/accounts");
    expect(
      new Map(accounts.map(({ reference, defaultAsset }) => [reference, defaultAsset])),
    ).toEqual(
      new Map([
        ["wallet-1", "BTC/8"],
        ["wallet-2", "BTC/8"],
      ]),
    );
    expect(await list("/payments")).toMatchObject([
      { reference: "transaction-1", type: "PAY-IN", status: "SUCCEEDED", asset: "BTC/8" },
    ]);
    expect(await list("/conversions")).toMatchObject([
      { reference: "transaction-2", status: "COMPLETED", destinationAsset: "USDC/6" },
    ]);
    expect(await list("/orders")).toMatchObject([
      { reference: open, status: "PARTIALLY_FILLED", baseQuantityFilled: 25_000_000 },
    ]);
  });
});
