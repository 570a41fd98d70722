import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** What a process writes: transactions to accounts in turns, for some seconds. */
export interface PacedJob {
  readonly url: string;
  readonly token: string;
  readonly ledger: string;
  readonly accounts: number;
  readonly seconds: number;
  /** Writes a second; a very large number for as many as the server takes. */
  readonly rate: number;
}

export interface PacedOutcome {
  readonly written: number;
  readonly perSecond: number;
  /** Times of writes in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Writes that are under way at once, at most. */
const WRITERS = 32;

/** Writes at the rate, in a process of its own, so that other work of the test does not delay writes. Writes that fail are not counted. */
async function write({ rate, seconds, accounts, ...target }: PacedJob): Promise<PacedOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  const beganMs = performance.now();
  const times: number[] = [];
  let sent = 0;
  const writer = async (): Promise<void> => {
    for (;;) {
      const elapsedMs = performance.now() - beganMs;
      if (elapsedMs > seconds * 1000) return;
      const dueMs = (sent * 1000) / rate;
      if (dueMs > elapsedMs) {
        await delay(Math.min(dueMs - elapsedMs, 20));
        continue;
      }
      const tookMs = await commit({ ...target, account: sent++ % accounts, agent });
      if (tookMs === undefined) await delay(50);
      else times.push(tookMs);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10;
  return {
    written: times.length,
    perSecond: Math.round((times.length * 1000) / (performance.now() - beganMs)),
    p50: at(0.5),
    p99: at(0.99),
  };
}

interface Write extends Pick<PacedJob, "url" | "token" | "ledger"> {
  readonly account: number;
  readonly agent: Agent;
}

/** Commits a transaction of an account; returns its time in milliseconds, or undefined for a write that failed. */
function commit({ url, token, ledger, account, agent }: Write): Promise<number | undefined> {
  const destination = `users:${account}:main`;
  const body = JSON.stringify({
    postings: [{ source: "world", destination, asset: "EUR/2", amount: 1 }],
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const path = `${url}/api/ledger/v2/${ledger}/transactions`;
    request(path, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("error", () => resolve(undefined));
      response.on("end", () =>
        resolve(response.statusCode === 200 ? performance.now() - beganMs : undefined),
      );
    })
      .on("error", () => resolve(undefined))
      .end(body);
  });
}

process.send?.(await write(JSON.parse(process.argv[2] ?? "") as PacedJob)); // the test starts the process with a job
