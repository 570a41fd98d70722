import type { BenchApi } from "../api.ts";
import { Random } from "#scripts/lib/random.ts";

/** The ledger whose lists the console shows, with an account for ten transactions. */
export const LEDGER = "books";

const BULK_SIZE = 1000;
/** Bulks that are sent at once. */
const CLIENTS = 4;
const SEED = 11;
const TRANSACTIONS_PER_ACCOUNT = 10;
const ACCOUNTS_MIN = 100;
/** The first account of every tenth transaction, so that one account has a long list. */
const BUSY_ACCOUNT = "bank:settlement";

/** Makes the ledger with `size` transactions. */
export async function fillBooks(api: BenchApi, size: number): Promise<void> {
  await api.createLedger(LEDGER);
  const accounts = Math.max(size / TRANSACTIONS_PER_ACCOUNT, ACCOUNTS_MIN);
  const random = new Random(SEED);
  const bulks = Array.from({ length: Math.ceil(size / BULK_SIZE) }, (_, index) =>
    Math.min(BULK_SIZE, size - index * BULK_SIZE),
  );
  const send = async (): Promise<void> => {
    for (let count = bulks.pop(); count !== undefined; count = bulks.pop()) {
      await api.send("POST", `/api/ledger/v2/${LEDGER}/_bulk`, bulkOf(count, accounts, random));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
}

function bulkOf(count: number, accounts: number, random: Random): string {
  const elements = Array.from({ length: count }, () => transaction(accounts, random));
  return JSON.stringify(elements);
}

function transaction(accounts: number, random: Random) {
  const number = random.integer(1, accounts);
  const user = `users:${String(Math.floor(number / 1000)).padStart(3, "0")}:${number}`;
  const source = random.integer(1, 10) === 1 ? BUSY_ACCOUNT : "world";
  const posting = { source: "world", destination: user, amount: number, asset: "EUR/2" };
  const postings =
    source === "world"
      ? [posting]
      : [
          { ...posting, destination: source },
          { ...posting, source },
        ];
  return { action: "CREATE_TRANSACTION", data: { postings } };
}
