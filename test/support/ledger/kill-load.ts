import { parseJson } from "#platform/json.ts";
import type { LocalServer } from "#test/support/platform/server.ts";

/** A write that must be stored once it is acknowledged, and only once, even if it is sent several times. */
interface Write {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Traces of the write: references of transactions, or a metadata key. */
  readonly marks: readonly string[];
}

/** Clients that write to one ledger as fast as they can while the server is killed, and record which writes it acknowledges. */
export class KillLoad {
  /** References of the transactions that the server has acknowledged. */
  readonly transactions = new Set<string>();
  /** Keys of the metadata that the server has acknowledged. */
  readonly metadata = new Set<string>();
  readonly #path: string;
  readonly #unanswered = new Set<Write>();
  #count = 0;
  #stopped = false;

  constructor(ledger: string) {
    this.#path = `/api/ledger/v2/${ledger}`;
  }

  /** Writes until the server is gone. */
  async run(server: LocalServer, clients: number): Promise<void> {
    this.#stopped = false;
    await Promise.all(Array.from({ length: clients }, () => this.#client(server)));
  }

  /** Ends `run`, which would go on if a new server got the same address. */
  stop(): void {
    this.#stopped = true;
  }

  /** Repeats the writes without an answer, because a client cannot know whether they were stored. */
  async repeat(server: LocalServer): Promise<void> {
    for (const write of this.#unanswered) await this.#send(server, write);
  }

  async #client(server: LocalServer): Promise<void> {
    while (!this.#stopped) {
      const write = this.#next();
      this.#unanswered.add(write);
      try {
        await this.#send(server, write);
      } catch (error) {
        // Thrown by `fetch` when a connection is cut or refused. Any other error is a failure of the test.
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }

  async #send(server: LocalServer, write: Write): Promise<void> {
    const { path, body, headers, marks } = write;
    const response = await server.api(path, { body, headers });
    const text = await response.text();
    if (response.status === 503) return; // the outcome of the write is unknown
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
    assertDone(text);
    const acknowledged = path.endsWith("/metadata") ? this.metadata : this.transactions;
    for (const mark of marks) acknowledged.add(mark);
    this.#unanswered.delete(write);
  }

  /** The next write: mostly a transaction, sometimes a bulk or metadata. Half of the transactions pay a hot account. */
  #next(): Write {
    const count = this.#count++;
    const mark = `w${count}`;
    const headers = { "idempotency-key": mark };
    if (count % 7 === 3) {
      const path = `${this.#path}/accounts/${METADATA_ACCOUNT}/metadata`;
      return { path, body: { [mark]: "yes" }, headers, marks: [mark] };
    }
    if (count % 5 !== 4) {
      const path = `${this.#path}/transactions`;
      return { path, body: transaction(count, mark), headers, marks: [mark] };
    }
    const marks = Array.from({ length: BULK_SIZE }, (_, index) => `${mark}-${index}`);
    const body = marks.map((ik, index) => {
      return { action: "CREATE_TRANSACTION", ik, data: transaction(count + index, ik) };
    });
    return { path: `${this.#path}/_bulk`, body, headers: {}, marks };
  }
}

/** The account of all metadata writes. */
export const METADATA_ACCOUNT = "customers:meta";
const BULK_SIZE = 10;
const ACCOUNTS = 50;

function transaction(count: number, reference: string) {
  const account = count % 2 === 0 ? "shops:hot" : `shops:${count % ACCOUNTS}`;
  const amount = BigInt(count + 1) * 10n ** 20n;
  return {
    reference,
    postings: [
      { source: "world", destination: account, amount, asset: "EUR/2" },
      { source: account, destination: "fees", amount: amount / 100n, asset: "EUR/2" },
    ],
  };
}

/** Throws if an element of a bulk failed, because a successful answer can contain failed elements. */
function assertDone(text: string): void {
  if (text.includes('"responseType":"ERROR"')) throw new Error(`a bulk failed: ${text}`);
  if (text !== "") parseJson(text);
}
