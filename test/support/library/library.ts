import {
  type Ledger,
  LedgerError,
  type NewPosting,
  openLedger,
  type OpenOptions,
} from "#library/index.ts";

/** A ledger in memory whose clock starts at ten o'clock and advances a second at each reading. */
export function ledgerInMemory(options: OpenOptions = {}): Ledger {
  let seconds = Date.UTC(2026, 2, 1, 10) / 1000;
  return openLedger({ clock: () => new Date(1000 * seconds++), ...options });
}

/** A posting, for example `pay("world -> shops:42", 1500n)`. */
export function pay(way: string, amount: bigint | number, asset = "USD/2"): NewPosting {
  const [source = "", destination = ""] = way.split(" -> ");
  return { source, destination, amount, asset };
}

/** The code and the message of a refusal. */
export function refusalOf(work: () => unknown): string {
  const { code, message } = errorOf(work);
  return `${code}: ${message}`;
}

export function errorOf(work: () => unknown): LedgerError {
  try {
    work();
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
