import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Beside, LoadAnswer, LoadJob, LoadResult } from "./job.ts";
import { percentiles } from "./percentiles.ts";
import { type LoadRequest, requestSource } from "./requests.ts";
import { Random } from "#scripts/lib/random.ts";

const SEED = 7;

async function answer(job: LoadJob): Promise<LoadAnswer> {
  try {
    return { ok: true, result: await run(job) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

async function run({ concurrency, durationMs, beside, ...job }: LoadJob): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency + 1 });
  const next = requestSource(job.load, new Random(SEED));
  const idle = performance.eventLoopUtilization();
  const startedMs = performance.now();
  const timesMs: number[] = [];
  const lane = async (): Promise<void> => {
    for (let sentMs = startedMs; sentMs - startedMs < durationMs; sentMs = performance.now()) {
      await exchange(next(), { ...job, agent });
      timesMs.push(performance.now() - sentMs);
    }
  };
  const besideLane = async ({ load, pauseMs }: Beside): Promise<void> => {
    const nextBeside = requestSource(load, new Random(SEED));
    for (; performance.now() - startedMs < durationMs; await delay(pauseMs)) {
      await exchange(nextBeside(), { ...job, agent });
    }
  };
  const lanes = async (): Promise<number> => {
    await Promise.all(Array.from({ length: concurrency }, lane));
    return (performance.now() - startedMs) / 1000;
  };
  let seconds: number;
  try {
    [seconds] = await Promise.all([lanes(), beside === undefined ? undefined : besideLane(beside)]);
  } finally {
    agent.destroy();
  }
  return {
    requests: timesMs.length,
    seconds,
    timesMs,
    ...percentiles(timesMs),
    generatorBusy: performance.eventLoopUtilization(idle).utilization,
  };
}

interface Connection {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

/** Sends a request and reads the whole answer. Rejects unless the answer is a success, because the speed of errors is of no interest. */
function exchange(
  { method, path, body }: LoadRequest,
  { origin, headers, agent }: Connection,
): Promise<void> {
  const bodyHeaders =
    body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: { ...headers, ...bodyHeaders } };
    const sent = request(`${origin}${path}`, options, (response) => {
      const { statusCode = 0 } = response;
      const isGood = statusCode >= 200 && statusCode < 300;
      let text = "";
      response.on("data", (chunk: Buffer) => {
        if (!isGood) text += chunk.toString();
      });
      response.on("error", reject);
      response.on("end", () => {
        if (isGood) resolve();
        else reject(new Error(`${method} ${path} answers ${statusCode}: ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

// The load is generated in a process of its own, so that it takes no time from the process that started the server. Both processes end
// together.
process.on("message", (job: LoadJob) => {
  void answer(job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));
