import { parseArgs } from "node:util";
import { BenchApi } from "./api.ts";
import { ACCOUNTS, fill } from "./cases.ts";
import { Inspector, WORKER } from "./inspector.ts";
import { LoadGenerator } from "./load/load-generator.ts";
import { type BenchServer, withServer } from "./server.ts";
import { heapGrowth } from "./soak/heap-growth.ts";
import { Receivers } from "./soak/receivers.ts";
import { GROWTH_MAX, lastThirds, type Part, partOf, type Sample } from "./soak/thirds.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { run } from "#scripts/lib/main.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const LEDGER = "soak";
const CLIENTS = 16;
const SAMPLE_MS = 10_000;
const MINUTES_STANDARD = 30;
const MINUTES_MIN = 1;
const MINUTES_MAX = 1440;
const GROWTHS_SHOWN = 15;
/** Time of the load between the two heap snapshots that show growth, in minutes. */
const GROWTH_MINUTES = 2;

/**
 * `npm run soak` saturates a server with transactions, bulks, reads, lists and five webhooks, and compares the runtime's memory and the
 * latencies in the last third of the time with those in the third before.
 */
async function soak(): Promise<void> {
  const minutes = readMinutes(process.argv.slice(2));
  const work = (server: BenchServer): Promise<void> => soakServer(server, minutes);
  await withServer(await buildWorker(), work, { inspectorPort: 0 });
}

async function soakServer(server: BenchServer, minutes: number): Promise<void> {
  const api = new BenchApi(server.url, await server.authorize());
  await api.createLedger(LEDGER);
  await fill(LEDGER, ACCOUNTS, api); // Every account that the load reads then exists.
  const receivers = await Receivers.open(api);
  try {
    say(LINE_HEAD);
    const samples = await sampleLoad(server, { receivers, minutes });
    const { second, last } = lastThirds(samples);
    const isMemorySteady = compare("memory in MB", mb(second), mb(last));
    const isLatencySteady = compare("p99 in ms", second.p99Ms, last.p99Ms);
    const further = () => sampleLoad(server, { receivers, minutes: GROWTH_MINUTES });
    await lookInside(server, isMemorySteady ? undefined : further);
    if (!isMemorySteady || !isLatencySteady) process.exitCode = 1;
  } finally {
    receivers.close();
  }
}

/**
 * Prints the parts of the memory, and the growth of the heap during a further load, if there is one. All other figures are taken earlier: a
 * runtime with an inspector keeps a record of each waiting task, becomes slower from minute to minute, and grows.
 */
async function lookInside(
  server: BenchServer,
  load: (() => Promise<unknown>) | undefined,
): Promise<void> {
  const inspector = await Inspector.open(server.inspectorUrl ?? "", WORKER);
  try {
    await sayParts(server, inspector);
    if (load === undefined) return;
    const before = await inspector.snapshot();
    await load();
    sayGrowth(before, await inspector.snapshot());
  } finally {
    inspector.close();
  }
}

async function sampleLoad(
  server: BenchServer,
  { receivers, minutes }: { receivers: Receivers; minutes: number },
): Promise<Sample[]> {
  const generator = new LoadGenerator();
  const samples: Sample[] = [];
  const perMinute = 60_000 / SAMPLE_MS;
  try {
    while (samples.length < minutes * perMinute) {
      const { timesMs, seconds } = await generator.run({
        origin: server.url,
        headers: await server.authorize(), // A token may expire before the load ends.
        concurrency: CLIENTS,
        durationMs: SAMPLE_MS,
        load: { kind: "mixed", ledger: LEDGER, accounts: ACCOUNTS },
      });
      const memory = server.memory();
      if (memory === undefined) {
        throw new OperatorError(
          "The system does not say how much memory a process has: it has no /proc.",
        );
      }
      samples.push({ timesMs, seconds, memoryBytes: memory.bytes });
      if (samples.length % perMinute === 0) {
        const part = partOf(samples.slice(-perMinute));
        say(lineOf(samples.length / perMinute, part, receivers.received));
      }
    }
  } finally {
    await generator.stop();
  }
  return samples;
}

const LINE_HEAD = "minute     req/s    p50 ms    p99 ms memory MB  webhooks";

const lineOf = (minute: number, part: Part, received: number): string =>
  [
    `${minute}`.padStart(6),
    ...[
      part.requestsPerSecond.toFixed(0),
      part.p50Ms.toFixed(1),
      part.p99Ms.toFixed(1),
      mb(part).toFixed(0),
      `${received}`,
    ].map((cell) => cell.padStart(10)),
  ].join("");

/** Prints two figures, and returns whether the second exceeds the first by at most `GROWTH_MAX`. */
function compare(name: string, before: number, after: number): boolean {
  const growth = after / before - 1;
  const isSteady = growth <= GROWTH_MAX;
  const sign = growth < 0 ? "" : "+";
  say(
    `${name}: ${before.toFixed(1)} in the second third, ${after.toFixed(1)} in the last one (${sign}${(growth * 100).toFixed(1)} %)${isSteady ? "" : ", which is more than 5 %"}`,
  );
  return isSteady;
}

async function sayParts(server: BenchServer, inspector: Inspector): Promise<void> {
  const { usedSize, totalSize, backingStorageSize } = await inspector.heapUsage();
  const { bytes = 0, fileBytes = 0 } = server.memory() ?? {};
  say(
    `At the end, ${inMb(bytes)} MB: ${inMb(fileBytes)} MB are copies of files, and the heap of JavaScript takes ${inMb(totalSize)} MB, of which ${inMb(usedSize)} MB are used, garbage included, and ${inMb(backingStorageSize)} MB outside of it.`,
  );
}

function sayGrowth(before: string, after: string): void {
  const growths = heapGrowth(before, after);
  const total = growths.reduce((sum, { bytes }) => sum + bytes, 0);
  say(
    `What has grown in the heap of JavaScript during ${GROWTH_MINUTES} more minutes, ${inMb(total)} MB in all; memory that is not among it belongs to the runtime itself:`,
  );
  for (const { name, count, bytes } of growths.slice(0, GROWTHS_SHOWN)) {
    say(`${inMb(bytes).padStart(10)} MB ${`${count}`.padStart(9)}  ${name}`);
  }
}

const inMb = (bytes: number): string => (bytes / 1e6).toFixed(1);

const mb = ({ memoryBytes }: Part): number => memoryBytes / 1e6;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Reads `--minutes N`. */
function readMinutes(args: readonly string[]): number {
  let text: string | undefined;
  try {
    text = parseArgs({ args: [...args], options: { minutes: { type: "string" } } }).values.minutes;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${message}\nThe soak takes --minutes N.`, { cause });
  }
  const minutes = text === undefined ? MINUTES_STANDARD : Number(text);
  if (Number.isInteger(minutes) && minutes >= MINUTES_MIN && minutes <= MINUTES_MAX) return minutes;
  throw new OperatorError(
    `--minutes is ${text}. It takes an integer from ${MINUTES_MIN} to ${MINUTES_MAX}.`,
  );
}

await run(soak);
