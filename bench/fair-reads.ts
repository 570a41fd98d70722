import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { z } from "zod";
import type { BenchApi } from "./api.ts";
import { ACCOUNTS, fill } from "./cases.ts";
import type { LoadResult } from "./load/job.ts";
import { LoadGenerator } from "./load/load-generator.ts";
import { percentiles } from "./load/percentiles.ts";
import type { Measurement } from "./measure.ts";

/** Names of the cases: single writes of one client alone, and beside heavy reads of their ledger. */
export const FAIR_READS_NAMES = ["fair-reads-alone", "fair-reads-beside"] as const;

const LEDGER = "fair";
/** Concurrent exports, as many as a ledger allows. */
const EXPORTS = 10;
const ALONE_MS = 5000;
/** Time of writes until the bench checks whether the reads have ended, in milliseconds. */
const ROUND_MS = 1000;

export interface FairReads {
  readonly measurements: readonly Measurement[];
  /** The time of the longest write beside the reads, in milliseconds. */
  readonly slowestMs: number;
  readonly exports: number;
  /** Entries and bytes of each export. */
  readonly entries: number;
  readonly bytes: number;
  readonly exportSeconds: number;
  readonly verificationSeconds: number;
}

/**
 * Measures single writes of a ledger with `size` transactions beside ten exports and a verification. Throws unless all exports are complete
 * and equal, and the ledger is consistent.
 */
export async function measureFairReads(size: number, api: BenchApi): Promise<FairReads> {
  await api.createLedger(LEDGER);
  await fill(LEDGER, size, api);
  const generator = new LoadGenerator();
  const write = (durationMs: number): Promise<LoadResult> =>
    generator.run({
      origin: api.url,
      headers: api.headers,
      concurrency: 1,
      durationMs,
      load: { kind: "commit", ledger: LEDGER, accounts: Math.min(size, ACCOUNTS) },
    });
  try {
    const alone = await write(ALONE_MS);
    const begun = await Promise.all(Array.from({ length: EXPORTS }, () => beginExport(api)));
    const reads = startReads(begun, api);
    const beside: LoadResult[] = [];
    do beside.push(await write(ROUND_MS));
    while (!reads.areOver());
    const { exported, ...seconds } = await reads.result;
    return {
      measurements: [
        measurementOf("fair-reads-alone", [alone]),
        measurementOf("fair-reads-beside", beside),
      ],
      slowestMs: Math.max(...beside.flatMap(({ timesMs }) => timesMs)),
      exports: EXPORTS,
      ...theOne(exported, size + alone.requests),
      ...seconds,
    };
  } finally {
    await generator.stop();
  }
}

interface Reads {
  readonly areOver: () => boolean;
  readonly result: Promise<{
    exported: Exported[];
    exportSeconds: number;
    verificationSeconds: number;
  }>;
}

/** Reads the exports and verifies the ledger, concurrently. */
function startReads(begun: readonly IncomingMessage[], api: BenchApi): Reads {
  let areOver = false;
  const exports = timed(Promise.all(begun.map(readExport)));
  const verification = timed(verify(api));
  const work = async () => {
    const [{ value: exported, seconds: exportSeconds }, { seconds: verificationSeconds }] =
      await Promise.all([exports, verification]);
    return { exported, exportSeconds, verificationSeconds };
  };
  const result = work().finally(() => {
    areOver = true;
  });
  result.catch(() => undefined); // The promise is awaited when the writes have ended.
  return { areOver: () => areOver, result };
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; seconds: number }> {
  const startedMs = performance.now();
  const value = await work;
  return { value, seconds: (performance.now() - startedMs) / 1000 };
}

/** Begins an export. Resolves when the export has its first page, at which its last entry is decided. */
async function beginExport({ url, headers }: BenchApi): Promise<IncomingMessage> {
  const sent = request(`${url}/api/ledger/v2/${LEDGER}/logs/export`, { method: "POST", headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage]; // Node documents this form.
  if (response.statusCode === 200) return response;
  throw new Error(`an export answers ${response.statusCode}`);
}

interface Exported {
  readonly entries: number;
  readonly bytes: number;
  readonly hash: string;
}

/** Reads an export to its end. Throws if the export is cut off. */
async function readExport(response: IncomingMessage): Promise<Exported> {
  const hash = createHash("sha1");
  let entries = 0;
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) entries++;
  }
  return { entries, bytes, hash: hash.digest("hex") };
}

const NEWLINE = 10;

/** The common size of all exports. Throws unless the exports are complete and equal. */
function theOne(exported: readonly Exported[], entries: number): Omit<Exported, "hash"> {
  const [first, ...others] = exported;
  if (first === undefined || first.entries !== entries) {
    throw new Error(`an export has ${first?.entries} of ${entries} entries`);
  }
  if (others.some(({ hash }) => hash !== first.hash)) throw new Error("the exports differ");
  return { entries, bytes: first.bytes };
}

/** Calls the verification until the whole ledger is verified. Throws if the ledger is inconsistent. */
async function verify(api: BenchApi): Promise<void> {
  for (;;) {
    const answer = await api.send("POST", `/api/florin/v1/ledgers/${LEDGER}/verify`);
    const { status } = Verification.parse(answer).data;
    if (status === "consistent") return;
    if (status === "inconsistent")
      throw new Error(`a verification finds ${JSON.stringify(answer)}`);
  }
}

const Verification = z.object({ data: z.object({ status: z.string() }) });

function measurementOf(name: string, results: readonly LoadResult[]): Measurement {
  const total = (value: (result: LoadResult) => number): number =>
    results.reduce((sum, result) => sum + value(result), 0);
  const requestsPerSecond = total(({ requests }) => requests) / total(({ seconds }) => seconds);
  return {
    name,
    concurrency: 1,
    requestsPerSecond,
    transactionsPerSecond: requestsPerSecond,
    ...percentiles(results.flatMap(({ timesMs }) => timesMs)),
  };
}
