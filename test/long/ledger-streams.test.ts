import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { SseReader } from "#scripts/listen/sse.ts";
import type { PacedJob, PacedOutcome } from "#test/support/ledger/paced-writer.ts";
import { StreamListener, type StreamTarget } from "#test/support/ledger/stream-listeners.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of listeners, one in a hundred of which listens to everything, writes a second, and seconds of writes. */
const LISTENERS = Number(process.env["STREAM_LISTENERS"] ?? 200);
const RATE = Number(process.env["STREAM_RATE"] ?? 100);
const SECONDS = Number(process.env["STREAM_SECONDS"] ?? 20);
/** A file to which figures are added. */
const REPORT = process.env["STREAM_REPORT"];
const ACCOUNTS = LISTENERS - Math.ceil(LISTENERS / 100);

/** A time after which the runtime removes an idle object from memory, in milliseconds. */
const IDLE_MS = 12_000;
const WRITER = resolve(import.meta.dirname, "../support/ledger/paced-writer.ts");
/** More writes a second than any server takes. */
const UNPACED = 1e9;
const LEDGER = "streamed";
const STREAM = `/api/florin/v1/ledgers/${LEDGER}/stream`;
const folder = freshFolder();
let server: LocalServer;
let target: StreamTarget;

async function start(): Promise<void> {
  server = await LocalServer.start(folder, { FLORIN_LIMIT_STREAMS: String(2 * LISTENERS) });
  target = { url: server.url, token: await server.token() };
}

beforeAll(async () => {
  await start();
  await server.api(`/api/ledger/v2/${LEDGER}`, { method: "POST" });
});

afterAll(async () => {
  await server.killAll();
});

/** The processor time that the server's runtime has used, in milliseconds. */
function processorMs(): number {
  if (!existsSync(`/proc/${server.runtime.pid}/stat`)) return Number.NaN;
  const stat = readFileSync(`/proc/${server.runtime.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Pace extends PacedOutcome {
  /** Processor time of the runtime for each write, in milliseconds. */
  readonly processor: number;
}

/** Writes at the rate, or as fast as the server takes it, for some seconds. */
async function write(seconds: number, rate: number): Promise<Pace> {
  const beganMs = processorMs();
  const job: PacedJob = { ...target, ledger: LEDGER, accounts: ACCOUNTS, seconds, rate };
  const [outcome] = (await once(fork(WRITER, [JSON.stringify(job)]), "message")) as [PacedOutcome]; // what the process sends
  const processor = (processorMs() - beganMs) / outcome.written;
  return { processor: Math.round(processor * 100) / 100, ...outcome };
}

/** The ids of all entries, by the account that they concern. */
async function entriesByAccount(): Promise<ReadonlyMap<string, readonly number[]>> {
  const response = await server.api(`${STREAM}?after=-1&follow=false`);
  const byAccount = new Map<string, number[]>();
  for (const { data } of new SseReader().push(await response.text())) {
    if (data === undefined) continue;
    const entry = parseJson(data) as {
      id: number;
      data: { transaction: { postings: [{ destination: string }] } };
    };
    const account = entry.data.transaction.postings[0].destination;
    byAccount.set(account, [...(byAccount.get(account) ?? []), entry.id]);
  }
  return byAccount;
}

test(
  "listeners of a ledger miss nothing and get nothing twice, also when the server is restarted",
  { timeout: 1_800_000 },
  async () => {
    const report = (what: string, figures: unknown) => {
      if (REPORT !== undefined) appendFileSync(REPORT, `${what}: ${JSON.stringify(figures)}\n`);
    };
    await write(3, RATE);
    report("paced, without listeners", await write(SECONDS / 2, RATE));
    report("as fast as it goes, without listeners", await write(SECONDS / 2, UNPACED));

    const own = Array.from(
      { length: ACCOUNTS },
      (_, account) =>
        new StreamListener(
          `${STREAM}?accounts=users:${account}:*${account % 2 === 0 ? "&events=entry,balances" : ""}`,
          () => target,
        ),
    );
    const everything = Array.from(
      { length: LISTENERS - ACCOUNTS },
      () => new StreamListener(STREAM, () => target),
    );
    const all = [...own, ...everything];
    const before = (await entriesByAccount()) as Map<string, number[]>;
    const running = all.map((listener) => listener.run());
    const beganMs = performance.now();
    await Promise.all(all.map(({ connected }) => connected));
    report("connected after ms", Math.round(performance.now() - beganMs));

    // The object leaves memory, and its socket stays.
    await delay(IDLE_MS);
    await write(1, 1);
    report("as fast as it goes, with listeners", await write(SECONDS / 2, UNPACED));
    await delay(2000);
    const framesBefore = everything.map(({ frames }) => frames);
    report("paced, with listeners", await write(SECONDS, RATE));
    for (const [index, { frames }] of everything.entries()) {
      expect(frames - (framesBefore[index] ?? 0)).toBeLessThan(SECONDS * 10 * 1.5);
    }
    report("frames a second", (present(everything[0]).frames - (framesBefore[0] ?? 0)) / SECONDS);

    for (const killAfterMs of [SECONDS * 300, SECONDS * 100]) {
      const writing = write(SECONDS / 2, RATE);
      await delay(killAfterMs);
      await server.killAll();
      await writing;
      await start();
      for (const listener of own.slice(0, 10)) listener.cut();
      report("after a restart", await write(SECONDS / 2, RATE));
    }

    const expected = await entriesByAccount();
    const wanted = (account: string): number[] =>
      (expected.get(account) ?? []).slice(before.get(account)?.length ?? 0);
    const ofAll = [...expected.keys()].flatMap(wanted).toSorted((a, b) => a - b);
    const until = performance.now() + 60_000;
    const isComplete = () =>
      everything.every(({ ids }) => ids.length >= ofAll.length) &&
      own.every(({ ids }, account) => ids.length >= wanted(`users:${account}:main`).length);
    while (!isComplete() && performance.now() < until) await delay(100);
    report("complete after the last write, ms", Math.round(performance.now() - until + 60_000));
    for (const listener of all) listener.stop();
    await Promise.all(running);

    for (const { ids } of everything) expect(ids).toEqual(ofAll);
    for (const [account, { ids, balances }] of own.entries()) {
      const address = `users:${account}:main`;
      expect(ids).toEqual(wanted(address));
      if (account % 2 > 0 || ids.length === 0) continue;
      expect(balances.get(address)).toBe(String(expected.get(address)?.length));
    }
    for (const { others, connections } of all) {
      expect(others).toEqual([]);
      expect(connections).toBeGreaterThan(1);
    }
  },
);

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("there is none");
  return value;
}
