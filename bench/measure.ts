import type { BenchApi } from "./api.ts";
import type { Load } from "./load/job.ts";
import type { LoadGenerator } from "./load/load-generator.ts";
import type { BenchServer } from "./server.ts";

/** A case of the bench: one kind of request, sent by `concurrency` clients at once. */
export interface Case {
  readonly name: string;
  readonly concurrency: number;
  readonly load: Load;
  /** The number of transactions that one request makes. Absent for reads. */
  readonly transactions?: number;
}

/** A line of the table. */
export interface Measurement {
  readonly name: string;
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  readonly transactionsPerSecond?: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Processor time of the runtime for one request, in microseconds. */
  readonly cpuMicros?: number;
  /** Share of the time in which the generator was busy. With a share near 1, the measurement shows the generator and not the server. */
  readonly generatorBusy?: number;
}

const WARM_UP_MS = 1000;
const DURATION_MS = 3000;

export interface Bench {
  readonly server: BenchServer;
  readonly api: BenchApi;
  readonly generator: LoadGenerator;
}

export async function measure(item: Case, { server, api, generator }: Bench): Promise<Measurement> {
  const job = {
    origin: api.url,
    headers: api.headers,
    concurrency: item.concurrency,
    load: item.load,
  };
  await generator.run({ ...job, durationMs: WARM_UP_MS });
  const cpuBefore = server.cpuMicros();
  const result = await generator.run({ ...job, durationMs: DURATION_MS });
  const { requests, seconds, timesMs: _, ...timing } = result;
  const cpuAfter = server.cpuMicros();
  return {
    name: item.name,
    concurrency: item.concurrency,
    requestsPerSecond: requests / seconds,
    ...(item.transactions === undefined
      ? {}
      : { transactionsPerSecond: (requests / seconds) * item.transactions }),
    ...timing,
    ...(cpuBefore === undefined || cpuAfter === undefined
      ? {}
      : { cpuMicros: (cpuAfter - cpuBefore) / requests }),
  };
}
