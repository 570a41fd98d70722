import { freshLedger, inLedger, okBodyOf, pay } from "#test/support/ledger/api.ts";

export interface PageBody {
  readonly cursor: {
    readonly pageSize: number;
    readonly hasMore: boolean;
    readonly previous?: string;
    readonly next: string;
    readonly data: readonly { readonly id: number; readonly address: string }[];
  };
}

export const COUNT = 34;

/** Creates a ledger with transactions 1 to 34, each with its own account. Every third one is dated in 2020. */
export async function listedLedger(): Promise<string> {
  const ledger = await freshLedger();
  const elements = Array.from({ length: COUNT }, (_, index) => ({
    action: "CREATE_TRANSACTION",
    data: pay(
      `world -> users:${String(index + 1).padStart(2, "0")}`,
      1,
      index % 3 === 2 ? { timestamp: "2020-01-01T00:00:00Z" } : {},
    ),
  }));
  await okBodyOf(inLedger(ledger, "/_bulk", { body: elements }));
  return ledger;
}
