import { readFileSync } from "node:fs";
import { type Attribution, attribute } from "./attribute.ts";
import { SourceLines } from "./source-map.ts";
import { BenchApi } from "#bench/api.ts";
import { buildReadableWorker } from "#bench/build.ts";
import { ACCOUNTS, fill, LEDGERS, readCases, writeCases } from "#bench/cases.ts";
import { Inspector, WORKER } from "#bench/inspector.ts";
import { LoadGenerator } from "#bench/load/load-generator.ts";
import type { Case } from "#bench/measure.ts";
import { type BenchServer, withServer } from "#bench/server.ts";

/** The profiled cases: a page and a single read of each resource, single writes and a bulk. */
const PROFILED = [
  { name: "transactions-first", concurrency: 16 },
  { name: "transaction", concurrency: 16 },
  { name: "account", concurrency: 16 },
  { name: "accounts-first", concurrency: 16 },
  { name: "accounts-middle", concurrency: 16 },
  { name: "logs-first", concurrency: 16 },
  { name: "logs-walk", concurrency: 16 },
  { name: "single-random", concurrency: 1 },
  { name: "single-random", concurrency: 16 },
  { name: "bulk-1000", concurrency: 4 },
] as const;

/** The distribution of one kind of request's time. All times are for one request, in microseconds. */
export interface ProfiledCase extends Attribution {
  readonly name: string;
  readonly clients: number;
  readonly requestsPerSecond: number;
  /** Processor time of the whole runtime, including the profiler; undefined if the system does not tell. */
  readonly cpuMicros: number | undefined;
}

const READS = "reads";
const WARM_UP_MS = 2000;
const DURATION_MS = 6000;
const INTERVAL_MICROS = 200;

/** Loads a server with one case at a time and takes a profile of the Worker and its objects, which share an isolate. */
export async function measureProfiles(
  { wants, size }: { wants: (name: string) => boolean; size: number },
  take: (profiled: ProfiledCase) => void,
): Promise<void> {
  const script = await buildReadableWorker();
  const lines = new SourceLines(readFileSync(script, "utf8"));
  const work = async (server: BenchServer): Promise<void> => {
    const cases = (await prepare(server, size)).filter(({ item }) => wants(item.name));
    const inspector = await Inspector.open(server.inspectorUrl ?? "", WORKER);
    const generator = new LoadGenerator();
    try {
      for (const { item, api } of cases) {
        take(await profileCase(item, { server, api, inspector, generator, lines }));
      }
    } finally {
      await generator.stop();
      inspector.close();
    }
  };
  await withServer(script, work, { inspectorPort: 0 });
}

async function prepare(
  server: BenchServer,
  size: number,
): Promise<{ item: Case; api: BenchApi }[]> {
  const api = new BenchApi(server.url, await server.authorize());
  for (const ledger of [...LEDGERS, READS]) await api.createLedger(ledger);
  await fill("random", ACCOUNTS, api);
  await fill(READS, size, api);
  const all = [...(await readCases(READS, size, api)), ...writeCases()];
  return PROFILED.flatMap(({ name, concurrency }) =>
    all
      .filter((item) => item.name === name && item.concurrency === concurrency)
      .map((item) => ({ item, api })),
  );
}

interface Tools {
  readonly server: BenchServer;
  readonly api: BenchApi;
  readonly inspector: Inspector;
  readonly generator: LoadGenerator;
  readonly lines: SourceLines;
}

async function profileCase(
  { name, concurrency, load }: Case,
  { server, api, inspector, generator, lines }: Tools,
): Promise<ProfiledCase> {
  const job = { origin: api.url, headers: api.headers, concurrency, load };
  await generator.run({ ...job, durationMs: WARM_UP_MS });
  let requests = 0;
  let seconds = 0;
  const cpuBefore = server.cpuMicros();
  const profile = await inspector.profile(INTERVAL_MICROS, async () => {
    ({ requests, seconds } = await generator.run({ ...job, durationMs: DURATION_MS }));
  });
  const cpuAfter = server.cpuMicros();
  const { stages, rest } = attribute(profile, lines);
  return {
    name,
    clients: concurrency,
    requestsPerSecond: requests / seconds,
    cpuMicros:
      cpuBefore === undefined || cpuAfter === undefined
        ? undefined
        : (cpuAfter - cpuBefore) / requests,
    stages: stages.map(({ stage, workerMicros, objectMicros }) => ({
      stage,
      workerMicros: workerMicros / requests,
      objectMicros: objectMicros / requests,
    })),
    rest: rest.map((item) => ({ name: item.name, micros: item.micros / requests })),
  };
}
