import { expect, onTestFinished, test } from "vitest";
import { KeptBackups } from "#test/support/platform/backup/kept-backups.ts";

/** A deployment with a ledger of three entries, which keeps one backup and has made it. */
async function saved(): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  backups.kept = 1;
  backups.pay(3);
  await backups.day(0);
  return backups;
}

const refuseToRemove = (backups: KeptBackups): void => {
  backups.bucket.around = async (operation) => {
    if (operation === "remove") throw new Error("the files are locked");
  };
};

test("a backup whose bucket does not let older ones go is complete, and a later run removes them", async () => {
  const backups = await saved();
  refuseToRemove(backups);
  await backups.day(1);
  expect(backups.keeper().state).toMatchObject({
    last: { snapshot: "000002-2026-11-29T03-00-00.000Z", lacks: 0 },
    run: undefined,
    failure: undefined,
    pruning: { reason: "the files are locked", failures: 1 },
  });
  expect(backups.keeper().state.last?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await backups.verify()).toEqual([]);
  await backups.day(2);
  expect(backups.snapshots()).toHaveLength(3);
  expect(backups.keeper().state).toMatchObject({ failure: undefined, pruning: { failures: 2 } });
  backups.bucket.around = async () => undefined;
  await backups.day(3);
  expect(backups.snapshots().map((name) => name.slice(0, 6))).toEqual(["000004"]);
  expect(backups.keeper().state.pruning).toBeUndefined();
});

test("a backup is complete while its run still removes older ones, and stays so if the run stands still", async () => {
  const backups = await saved();
  const { promise, resolve } = Promise.withResolvers<void>();
  backups.bucket.around = async (operation) => {
    if (operation !== "remove") return;
    resolve();
    await new Promise(() => undefined);
  };
  backups.nowMs += 86_400_000;
  backups.keeper().wake(backups.nowMs);
  void backups.keeper().work();
  await promise;
  expect(backups.keeper().state).toMatchObject({
    last: { snapshot: "000002-2026-11-29T03-00-00.000Z" },
    run: { stage: "prune" },
  });
  backups.bucket.around = async () => undefined;
  await backups.day(2);
  expect(backups.keeper().state).toMatchObject({
    last: { snapshot: "000003-2026-11-30T03-00-00.000Z" },
    failure: undefined,
    pruning: undefined,
  });
});

test("an alarm makes as many calls as the platform allows, although each look at the snapshots asks for each of them", async () => {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  backups.kept = 366;
  for (let number = 1; number <= 367; number++) {
    const name = `${String(number).padStart(6, "0")}-2026-01-01T00-00-00.000Z`;
    await backups.bucket.putIf(`snapshots/${name}/manifest.json`, "{}", undefined);
  }
  let calls = 0;
  backups.bucket.around = async (operation) => {
    if (operation !== "list") calls += 1 / 2; // Pages of R2 have 1000 files, those of the tests three.
  };
  backups.keeper().wake(backups.nowMs);
  const counts: number[] = [];
  for (let isOver = false; !isOver; calls = 0) {
    isOver = (await backups.keeper().work()) === undefined;
    counts.push(calls);
  }
  expect(backups.snapshots()).toHaveLength(366);
  expect(Math.max(...counts)).toBeLessThan(800);
});
