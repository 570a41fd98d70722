import type { Unit } from "./prices.ts";

/** What a deployment does in a month, from which its usage follows. */
export interface Workload {
  /** Transactions, each of them a request. */
  readonly transactions: number;
  /** Reads for each transaction, such as balances and lists. */
  readonly reads: number;
  /** Endpoints of webhooks that get every transaction. */
  readonly endpoints: number;
  /** Months for which data have been kept. */
  readonly months: number;
}

/** The workload of the guide's table. */
export const typicalWorkload = (transactions: number): Workload => ({
  transactions,
  reads: 3,
  endpoints: 1,
  months: 12,
});

/** Rows that are billed, as the project's measurements count them. */
const ROWS = {
  /** `docs/storage.md`, "Tables": a transaction with a key and a reference. */
  transaction: 5,
  /** The same table, and `docs/search.md`: an account in its ledger, and in the search. */
  account: 4 + 3,
  /** `docs/search.md`, "What it costs": a transaction in the index, with what the index writes inside. */
  search: 1.8,
  /** `docs/webhooks.md`, "What is stored": a delivery that one attempt finished. */
  delivery: 3,
  /** What a message costs once, however many entries it brings: the ledger's note, the search's, and its alarm. */
  message: 3,
  /** The same at each endpoint: which entries it has got. */
  messageOfEndpoint: 1,
} as const;

/** Bytes that stay: a transaction with a key and a reference, its part of the search, and its delivery. */
const BYTES = { transaction: 180, search: 61, delivery: 130 } as const;

/** How many transactions there are for each new account. */
const TRANSACTIONS_OF_ACCOUNT = 10;

/** Rows that a read reads; most of them are a page of fifteen with its volumes. */
const ROWS_OF_READ = 50;

/** Processor time of a request in the Worker, in milliseconds: more than the profiles of the laboratory book, which are of a slow machine. */
const CPU_MS = { write: 2, read: 1, message: 5 } as const;

/** How long an object is busy, in seconds. A write waits until it is stored in several places, a delivery for the endpoint. */
const BUSY_SECONDS = { write: 0.02, read: 0.005, delivery: 0.25, message: 0.02 } as const;

/** The memory that is billed of each object that is busy. */
const OBJECT_GIGABYTES = 0.128;

/** A queue operation each to write, read and delete a message. */
const OPERATIONS_OF_MESSAGE = 3;

/** A busy ledger announces its entries every half second, `docs/webhooks.md`, "The way of an event". */
const MESSAGES_A_SECOND_MAX = 2;

/** Calls of objects for a message: its ledger reads the entries and confirms them, the search takes them, and an alarm. */
const CALLS_OF_MESSAGE = 4;

const SECONDS_OF_MONTH = 730 * 3600;
const BYTES_OF_GIGABYTE = 1_000_000_000;
/** What the database of one object may hold. */
const LEDGER_BYTES_MAX = 10 * BYTES_OF_GIGABYTE;

export type Usage = Readonly<Record<Unit, number>>;

/** How many ledgers hold the workload: as few as the platform's limit of an object's storage allows. */
export const ledgersOf = ({ transactions, months }: Workload): number =>
  Math.ceil((transactions * months * BYTES.transaction) / LEDGER_BYTES_MAX);

/** What Cloudflare counts of a workload in a month. Transactions come evenly, which makes most messages and therefore costs most. */
export function usageOf(workload: Workload): Usage {
  const { transactions, endpoints, months } = workload;
  const ledgers = ledgersOf(workload);
  const reads = transactions * workload.reads;
  const deliveries = transactions * endpoints;
  const messages = Math.min(transactions, ledgers * MESSAGES_A_SECOND_MAX * SECONDS_OF_MONTH);
  const bytes = BYTES.transaction + BYTES.search + BYTES.delivery * endpoints;
  return {
    workerRequests: transactions + reads + messages,
    workerCpuMs: transactions * CPU_MS.write + reads * CPU_MS.read + messages * CPU_MS.message,
    objectRequests: transactions + reads + messages * (CALLS_OF_MESSAGE + endpoints),
    objectGigabyteSeconds: OBJECT_GIGABYTES * busySeconds({ workload, ledgers, messages }),
    rowsRead: reads * ROWS_OF_READ,
    rowsWritten:
      transactions * (ROWS.transaction + ROWS.search) +
      (transactions / TRANSACTIONS_OF_ACCOUNT) * ROWS.account +
      deliveries * ROWS.delivery +
      messages * (ROWS.message + ROWS.messageOfEndpoint * endpoints),
    storedGigabytes: (transactions * months * bytes) / BYTES_OF_GIGABYTE,
    queueOperations: messages * OPERATIONS_OF_MESSAGE,
  };
}

interface BusyWork {
  readonly workload: Workload;
  readonly ledgers: number;
  readonly messages: number;
}

/** The seconds in which objects are busy, in sum. An object that has several things under way is billed once. */
function busySeconds({ workload, ledgers, messages }: BusyWork): number {
  const { transactions, reads, endpoints } = workload;
  const ofLedgers = transactions * (BUSY_SECONDS.write + reads * BUSY_SECONDS.read);
  return (
    Math.min(ofLedgers, ledgers * SECONDS_OF_MONTH) +
    Math.min(transactions * BUSY_SECONDS.delivery, SECONDS_OF_MONTH) * endpoints +
    Math.min(messages * BUSY_SECONDS.message, SECONDS_OF_MONTH)
  );
}
