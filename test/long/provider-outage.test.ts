import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCOUNTS, type AwayProvider } from "#test/support/payments/outage/away-provider.ts";
import {
  payOut,
  payoutOf,
  readAccounts,
  readHealth,
  readInitiations,
  readPayments,
  readRuns,
  type ScheduleRuns,
  type Summary,
} from "#test/support/payments/outage/reads.ts";
import { type HealthNews, OutageWorld, type Subject } from "#test/support/payments/outage/world.ts";

/** How many times faster than the machine's the server's time is. */
const SPEED = Number(process.env["OUTAGE_SPEED"] ?? 60);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const AWAY_MS = 6 * HOUR_MS;
/** Runs come every 30 minutes, and are spread over 5 minutes more. */
const PERIOD_MS_MAX = 35 * MINUTE_MS;
/** Five seconds of the machine, because a server whose time is fast is a server on a slow machine. */
const SLACK_MS = 5000 * SPEED;
/** The error of a call for which the machine, not the provider, took ten seconds of the server. */
const TOO_SLOW = /no complete answer within 10 s/;
/** Payments that each provider receives at once. */
const RECEIVED = 3;

let world: OutageWorld;
/** Times of the server. */
let awayMs: number;
let returnMs: number;
/** The statuses that each connector has shown, without repetitions. */
const shownStatuses = new Map<string, string[]>();
/** The health of all connectors just before the return of the providers, and at the end. */
let healthAway: readonly Summary[];
let healthAfter: readonly Summary[];

async function look(): Promise<void> {
  for (const { connectorID, status } of await readHealth(world)) {
    const shown = shownStatuses.get(connectorID) ?? [];
    shownStatuses.set(connectorID, shown);
    if (shown.at(-1) !== status) shown.push(status);
  }
}

function receive(): void {
  for (const { away } of world.subjects) away.provider.receive(RECEIVED);
}

/** Throws before all that the providers had at the beginning is stored. */
async function assertPolled(): Promise<void> {
  for (const { connectorID, status } of await readHealth(world)) {
    expect([connectorID, status]).toEqual([connectorID, "healthy"]);
  }
  const stored = Map.groupBy(await readPayments(world), ({ connectorID }) => connectorID);
  for (const { id, away } of world.subjects) {
    expect(stored.get(id)).toHaveLength(expectedOf(away).size);
  }
  expect(await readAccounts(world)).toHaveLength(world.subjects.length * ACCOUNTS);
}

async function assertPaidOut(): Promise<void> {
  const statuses = (await readInitiations(world)).map(({ status }) => status);
  expect(statuses).toEqual(world.subjects.map(() => "PROCESSED"));
}

/** Reads the health of all connectors. Throws before all are healthy. */
async function healthOnceHealthy(): Promise<Summary[]> {
  const health = await readHealth(world);
  expect(health.map(({ status }) => status)).toEqual(world.subjects.map(() => "healthy"));
  return health;
}

beforeAll(async () => {
  world = await OutageWorld.start(SPEED);
  await world.until(assertPolled);
  await payOut(world, "before");
  await world.until(assertPaidOut);
  // On a slow machine, a connector may have been in trouble already.
  await world.until(healthOnceHealthy);

  awayMs = world.nowMs;
  for (const { away } of world.subjects) away.leave();
  for (let hour = 1; hour < 6; hour++) {
    await world.waitUntil(awayMs + hour * HOUR_MS, look);
    receive();
    if (hour === 3) await payOut(world, "during");
  }
  await world.waitUntil(awayMs + AWAY_MS, look);
  healthAway = await readHealth(world);

  returnMs = world.nowMs;
  await Promise.all(world.subjects.map(({ away }) => away.comeBack()));
  receive();
  // After the return, the server gets no command. Another period shows whether later runs bring anything twice.
  await world.waitUntil(returnMs + HOUR_MS + PERIOD_MS_MAX, look);
  healthAfter = await world.until(healthOnceHealthy);
}, 3_600_000);

afterAll(() => world?.close());

/** The connectors whose providers were away. */
const struck = (): Subject[] => world.subjects.filter(({ outage }) => outage !== undefined);

async function allRuns(): Promise<(ScheduleRuns & { readonly subject: Subject })[]> {
  const found = await Promise.all(
    world.subjects.map(async (subject) =>
      (await readRuns(world, subject)).map((schedule) => ({ ...schedule, subject })),
    ),
  );
  return found.flat();
}

/** The payments of a provider with what is left of them after refunds, by their references. */
function expectedOf({ provider }: AwayProvider): Map<string, bigint> {
  const left = new Map<string, bigint>();
  for (const {
    id,
    relatedTransactionID: reference = id,
    status,
    amount,
  } of provider.transactions) {
    const before = left.get(reference) ?? 0n;
    left.set(reference, status === "REFUNDED" ? before - amount : before + amount);
  }
  return left;
}

const report = (line: string): boolean => process.stdout.write(`${line}\n`);
const minutesSince = (fromMs: number, toMs: number): number =>
  Math.round((toMs - fromMs) / MINUTE_MS);

describe("after six hours in which its provider was away", () => {
  test("each schedule runs again within an hour, without a command", async () => {
    for (const { subject, task, runs } of await allRuns()) {
      if (subject.outage === undefined) continue;
      const name = `${subject.name}, ${task}`;
      const away = runs.filter(({ startMs, endMs }) => startMs > awayMs && endMs <= returnMs);
      expect([name, away.filter(({ error }) => error === undefined)]).toEqual([name, []]);
      const first = runs.find(({ endMs, error }) => endMs > returnMs && error === undefined);
      const waitMs = (first?.endMs ?? Infinity) - returnMs;
      report(`${name}: ${away.length} failed runs, then ${minutesSince(0, waitMs)} minutes`);
      expect([name, waitMs]).toEqual([name, expect.toSatisfy(isWithin(HOUR_MS))]);
    }
  });

  test("the health has shown the outage and its end", async () => {
    const failures = await failuresAtReturn();
    for (const { id, name, outage } of struck()) {
      const away = healthAway.find(({ connectorID }) => connectorID === id);
      expect(away).toMatchObject({
        connectorID: id,
        status: isPausing(failures.get(id)) ? "paused" : "failing",
        lastError: expect.stringMatching(anyOf(outage?.error ?? /^/, TOO_SLOW)) as string,
      });
      expect(away?.since).toBeGreaterThan(awayMs);
      expect(away?.nextRunAt).toBeGreaterThan(returnMs - SLACK_MS);
      expect(away?.nextRunAt).toBeLessThan(returnMs + HOUR_MS + SLACK_MS);
      const after = healthAfter.find(({ connectorID }) => connectorID === id);
      expect(after).toMatchObject({ connectorID: id, status: "healthy" });
      expect(after?.lastSuccessAt).toBeGreaterThan(returnMs);
      report(`${name}: ${shownStatuses.get(id)?.join(", ")}`);
    }
  });

  test("the events tell of each change of the health once and in order", async () => {
    const failures = await failuresAtReturn();
    for (const { id, name } of struck()) {
      const troubles = troublesOf(id);
      const shown = troubles
        .flat()
        .map(({ change, atMs }) => `${change} ${minutesSince(awayMs, atMs)}`);
      report(`${name}: ${shown.join(", ")} minutes after the beginning`);
      const [outage = [], ...more] = troubles.filter(
        (news) => (news.at(-1)?.atMs ?? 0) > awayMs && (news[0]?.atMs ?? 0) < returnMs,
      );
      expect([name, more]).toEqual([name, []]);
      expect([name, outage.map(({ change }) => change)]).toEqual([
        name,
        ["failing", ...(isPausing(failures.get(id)) ? ["paused"] : []), "recovered"],
      ]);
      const times = outage.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times[0]).toBeGreaterThan(awayMs);
      expect(times.at(-2)).toBeLessThan(returnMs);
      expect(times.at(-1)).toBeGreaterThan(returnMs);
      expect(times.at(-1)).toSatisfy((ms: number) => isWithin(HOUR_MS)(ms - returnMs));
    }
  });

  test("each payment is stored once, and events tell of each of its states once", async () => {
    const payments = Map.groupBy(await readPayments(world), ({ connectorID }) => connectorID);
    for (const { id, name, away } of world.subjects) {
      const stored = payments.get(id) ?? [];
      const amounts = new Map(stored.map(({ reference, amount }) => [reference, BigInt(amount)]));
      expect([name, stored.length, amounts]).toEqual([name, amounts.size, expectedOf(away)]);
      const states = away.provider.transactions.map(
        (it) => `${it.relatedTransactionID ?? it.id} ${it.status}`,
      );
      expect([name, world.savedPayments(id).toSorted()]).toEqual([name, states.toSorted()]);
    }
  });

  test("each payout has moved once, unless the provider has refused it", async () => {
    const initiations = await readInitiations(world);
    for (const subject of world.subjects) {
      const { id, name, outage, away } = subject;
      const expected = { before: "PROCESSED", during: outage?.payout ?? "PROCESSED" };
      const ours = initiations.filter(({ connectorID }) => connectorID === id);
      const statuses = Object.fromEntries(ours.map((it) => [it.reference, it.status]));
      expect([name, ours.length, statuses]).toEqual([
        name,
        2,
        Object.fromEntries(
          Object.entries(expected).map(([moment, status]) => [payoutOf(subject, moment), status]),
        ),
      ]);
      const processed = ours.filter(({ status }) => status === "PROCESSED");
      const moved = away.provider.movements.map(({ idempotencyKey }) => idempotencyKey);
      expect([name, moved.toSorted()]).toEqual([
        name,
        processed.map(({ reference }) => reference).toSorted(),
      ]);
    }
  });
});

test("a connector whose provider was never away has kept its period", async () => {
  for (const { subject, task, runs } of await allRuns()) {
    if (subject.outage !== undefined) continue;
    const waits = runs.slice(1).map(({ startMs }, index) => startMs - (runs[index]?.endMs ?? 0));
    const failed = runs.filter(({ error }) => error !== undefined);
    report(
      `${subject.name}, ${task}: ${runs.length} runs, ${minutesSince(0, Math.max(...waits))} minutes apart at most, ${failed.length} failed`,
    );
    expect([task, Math.max(...waits)]).toEqual([task, expect.toSatisfy(isWithin(PERIOD_MS_MAX))]);
    // The provider always answers at once, so that only a machine that is too slow lets a run fail.
    for (const { error } of failed) expect(error).toMatch(TOO_SLOW);
  }
});

/** The number of failed runs in a row of each connector's worst schedule when the providers came back. */
async function failuresAtReturn(): Promise<Map<string, number>> {
  const failures = new Map<string, number>();
  for (const { subject, runs } of await allRuns()) {
    const before = runs.filter(({ endMs }) => endMs <= returnMs);
    const inARow = before.length - 1 - before.findLastIndex(({ error }) => error === undefined);
    failures.set(subject.id, Math.max(inARow, failures.get(subject.id) ?? 0));
  }
  return failures;
}

/** Whether a schedule with so many failed runs in a row is paused. */
const isPausing = (failures = 0): boolean => failures >= 10;

/** The troubles of a connector: the changes of its health up to each recovery. */
function troublesOf(connectorID: string): HealthNews[][] {
  const troubles: HealthNews[][] = [];
  for (const news of world.healthNews(connectorID)) {
    if (news.change === "failing" || troubles.length === 0) troubles.push([]);
    troubles.at(-1)?.push(news);
  }
  return troubles;
}

const anyOf = (...texts: readonly RegExp[]): RegExp =>
  new RegExp(texts.map(({ source }) => source).join("|"));

const isWithin =
  (limitMs: number) =>
  (ms: number): boolean =>
    ms <= limitMs + SLACK_MS;
