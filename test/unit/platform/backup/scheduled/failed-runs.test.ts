import { expect, onTestFinished, test, vi } from "vitest";
import { KeptBackups } from "#test/support/platform/backup/kept-backups.ts";

const HOUR_MS = 3_600_000;

/** A deployment with a ledger of three entries. */
async function paid(): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  backups.pay(3);
  return backups;
}

/** The slot of a day, in milliseconds since the epoch. */
const slotOf = (day: number): number => Date.parse("2026-11-28T03:00:00.000Z") + day * 24 * HOUR_MS;

test("a run that has failed for a while is begun anew an hour later, and the log has its reason", async () => {
  const backups = await paid();
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  backups.aroundCall = async (path) => {
    if (path === "/versions") throw new Error("no answer");
  };
  await backups.day(0);
  expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toEqual([
    expect.objectContaining({
      message: "a backup into the deployment's bucket has failed",
      error: "Error: no answer",
      stage: "begin",
    }),
  ]);
  logged.mockRestore();
  expect(backups.keeper().wake(slotOf(0))).toBe(false);
  backups.nowMs += HOUR_MS;
  backups.aroundCall = async () => undefined;
  expect(backups.keeper().wake(slotOf(0))).toBe(true);
  expect(backups.keeper().state.failure).toMatchObject({ reason: "no answer", failures: 1 });
  await backups.work();
  expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
  backups.nowMs += HOUR_MS;
  expect(backups.keeper().wake(slotOf(0))).toBe(false);
  expect(await backups.verify()).toEqual([]);
});

test("a run that needs a person is not begun anew before the next day", async () => {
  const backups = await paid();
  const keys = { FLORIN_SECRET_KEY: "", FLORIN_PREVIOUS_SECRET_KEYS: [] };
  // A point of low order (RFC 7748, section 6.1), with which all share one secret.
  const der = Buffer.concat([Buffer.from("302a300506032b656e032100", "hex"), Buffer.alloc(32)]);
  const publicKey = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----`;
  backups.keys = { keys, publicKey };
  await backups.day(0);
  const { failure } = backups.keeper().state;
  expect(failure?.reason).toContain("FLORIN_BACKUP_PUBLIC_KEY cannot be used");
  expect(backups.server.calls).toEqual(["GET /versions"]);
  backups.nowMs += 5 * HOUR_MS;
  expect(backups.keeper().wake(slotOf(0))).toBe(false);
  expect(backups.keeper().wake(slotOf(1))).toBe(true);
});

test("a copy of the database that nobody lets end is tried again an hour later", async () => {
  const backups = await paid();
  backups.server.refusals.set("/database-copies/copy/rows", Array<number>(11).fill(409));
  await backups.day(0);
  expect(backups.keeper().state.failure?.reason).toContain("refused with 409");
  backups.server.refusals.clear();
  backups.nowMs += HOUR_MS;
  expect(backups.keeper().wake(slotOf(0))).toBe(true);
  await backups.work();
  expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
});

test("a step that does not end counts as a failure, and what it reads too late is left", async () => {
  const backups = await paid();
  const still = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let passes = (): void => undefined;
  backups.startDeadline = (afterMs, pass) => {
    expect(afterMs).toBe(600_000);
    passes = pass;
    return { end: () => undefined, signal: new AbortController().signal };
  };
  backups.aroundCall = async (path) => {
    if (!path.endsWith("/rows")) return;
    reached.resolve();
    await still.promise;
  };
  backups.keeper().wake(slotOf(0));
  const alarm = backups.keeper().work();
  await reached.promise;
  passes();
  expect(await alarm).toBe(backups.nowMs + 15_000);
  expect(backups.keeper().state.run).toMatchObject({
    stage: "copy",
    trouble: { reason: "The step has not ended within ten minutes.", failures: 1 },
  });
  backups.aroundCall = async () => undefined;
  const { state } = backups.keeper();
  still.resolve();
  const answered = backups.server.calls.length;
  await vi.waitFor(() => expect(backups.server.calls.length).toBeGreaterThan(answered));
  await new Promise(setImmediate);
  expect(backups.keeper().state).toEqual(state);
  expect(backups.sql.all("SELECT count(*) AS rows FROM saved_row")).toEqual([{ rows: 0 }]);
  await backups.work();
  expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
  expect(await backups.verify()).toEqual([]);
});

test("a run that always fails is begun some times on its first day, and once on later ones", async () => {
  const backups = await paid();
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  backups.aroundCall = async (path) => {
    if (path === "/versions") throw new Error("no answer");
  };
  const runs = [0, 0, 0];
  for (let hour = 0; hour < 24 * runs.length; hour++) {
    const day = Math.floor(hour / 24);
    backups.nowMs = Math.max(backups.nowMs, slotOf(0) + hour * HOUR_MS);
    if (!backups.keeper().wake(slotOf(day))) continue;
    runs[day] = (runs[day] ?? 0) + 1;
    await backups.work();
  }
  expect(runs).toEqual([5, 1, 1]);
  expect(logged).toHaveBeenCalledTimes(7);
  logged.mockRestore();
});
