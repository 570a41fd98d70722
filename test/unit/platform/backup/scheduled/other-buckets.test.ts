import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { KeptBackups, uuidOf } from "#test/support/platform/backup/kept-backups.ts";
import { MemoryBucket } from "#test/support/platform/backup/memory-bucket.ts";

/** A deployment with ledgers of three entries. */
async function paid(ledgers: number): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(ledgers);
  onTestFinished(() => backups.close());
  backups.pay(3);
  return backups;
}

const bind = (backups: KeptBackups, bucket: MemoryBucket): void => {
  Object.assign(backups, { bucket });
};

/** Ends the process behind the first put of a file, and lets `then` happen before the next one starts. */
function endBehindPut(backups: KeptBackups, file: RegExp, then: () => void = () => undefined) {
  const { promise, resolve } = Promise.withResolvers<number>();
  backups.killed = promise;
  let seen = 0;
  backups.bucket.around = async (operation, key) => {
    if (operation !== "put" || !file.test(key) || ++seen !== 2) return;
    resolve(backups.nowMs);
    backups.killed = new Promise(() => undefined);
    then();
    await backups.killed;
  };
}

const filesOf = (backups: KeptBackups, uuid: string): string[] =>
  [...backups.bucket.files.keys()].filter((key) => key.startsWith(`ledgers/${uuid}/`));

test("another bucket gets everything, and the former one goes on where it was", async () => {
  const backups = await paid(2);
  await backups.day(0);
  const first = backups.bucket;
  bind(backups, new MemoryBucket());
  backups.pay(1);
  await backups.day(1);
  expect(backups.keeper().state).toMatchObject({
    last: { added: 8, lacks: 0 },
    failure: undefined,
  });
  expect(await backups.verify()).toEqual([]);
  bind(backups, first);
  await backups.day(2);
  expect(backups.keeper().state).toMatchObject({
    last: { added: 2, lacks: 0 },
    failure: undefined,
  });
  expect(backups.snapshots()).toHaveLength(2);
  expect(await backups.verify()).toEqual([]);
});

test("a run whose bucket gives way to another one is not complete there, and the next one is", async () => {
  const backups = await paid(1);
  endBehindPut(backups, /\/database\/manifest\.json$/, () => bind(backups, new MemoryBucket()));
  await backups.day(0);
  expect(backups.keeper().state.failure?.reason).toContain("The bucket is another one");
  expect(backups.snapshots()).toEqual([]);
  backups.nowMs += 3_600_000;
  expect(backups.keeper().wake(Date.parse("2026-11-28T03:00:00.000Z"))).toBe(true);
  await backups.work();
  expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
  expect(await backups.verify()).toEqual([]);
});

test("what a run has saved that has failed goes if its ledger was purged before any snapshot named it", async () => {
  const backups = await paid(2);
  backups.bucket.around = async (operation, key) => {
    if (operation === "put" && /^snapshots\/[^/]+\/manifest/.test(key)) throw new Error("away");
  };
  await backups.day(0);
  expect(backups.keeper().state.failure?.reason).toBe("away");
  expect(filesOf(backups, uuidOf(2))).toHaveLength(3);
  backups.bucket.around = async () => undefined;
  backups.server.ledgers.pop();
  await backups.day(1);
  expect(filesOf(backups, uuidOf(1))).toHaveLength(3);
  expect(filesOf(backups, uuidOf(2))).toEqual([]);
  expect(await backups.verify()).toEqual([]);
});

test("logs of a purged ledger stay as long as there is a snapshot whose ledgers the object does not know", async () => {
  const backups = await paid(2);
  await backups.day(0);
  await backups.day(1);
  const second = backups.snapshots().at(-1) ?? "";
  for (const key of backups.bucket.files.keys())
    if (key.startsWith(`snapshots/${second}/`)) backups.bucket.files.delete(key);
  backups.server.ledgers.pop();
  await backups.day(2);
  expect(backups.snapshots()).toHaveLength(2);
  expect(filesOf(backups, uuidOf(2))).toHaveLength(3);
  backups.kept = 1;
  await backups.day(3);
  expect(filesOf(backups, uuidOf(1))).toHaveLength(3);
  expect(filesOf(backups, uuidOf(2))).toEqual([]);
  expect(await backups.verify()).toEqual([]);
});

test("logs of a purged ledger stay as long as a snapshot names it whose run has given way behind its manifest", async () => {
  const backups = await paid(2);
  backups.kept = 2;
  await backups.day(0);
  endBehindPut(backups, /^snapshots\/[^/]+\/manifest\.json$/);
  backups.nowMs += 86_400_000;
  backups.keeper().wake(backups.nowMs);
  await Promise.race([backups.killed, backups.keeper().work()]);
  backups.bucket.around = async () => undefined;
  backups.server.ledgers.pop();
  await backups.day(2);
  expect(backups.snapshots().map((name) => name.slice(0, 6))).toEqual(["000002", "000003"]);
  expect(filesOf(backups, uuidOf(2))).toHaveLength(3);
  await backups.day(3);
  expect(backups.snapshots()).toHaveLength(2);
  expect(filesOf(backups, uuidOf(2))).toEqual([]);
  expect(await backups.verify()).toEqual([]);
});

test("no file of a snapshot changes once its manifest is there", async () => {
  const backups = await paid(1);
  const pair = generateKeyPairSync("x25519");
  const publicKey = String(pair.publicKey.export({ type: "spki", format: "pem" }));
  const FLORIN_SECRET_KEY = randomBytes(32).toString("base64");
  backups.keys = { keys: { FLORIN_SECRET_KEY, FLORIN_PREVIOUS_SECRET_KEYS: [] }, publicKey };
  let before: (readonly [string, unknown])[] = [];
  const inSnapshots = () =>
    [...backups.bucket.files].filter(([key]) => key.startsWith("snapshots/"));
  endBehindPut(backups, /^snapshots\/[^/]+\/manifest\.json$/, () => {
    before = inSnapshots();
  });
  await backups.day(0);
  expect(before.map(([key]) => key.split("/").at(-1))).toContain("keys.json");
  expect(inSnapshots()).toEqual(before);
  const { last } = backups.keeper().state;
  const manifest = backups.bucket.files.get(`snapshots/${last?.snapshot}/manifest.json`);
  const sha256 = createHash("sha256")
    .update(manifest?.bytes ?? "")
    .digest("hex");
  expect(last?.sha256).toBe(sha256);
  expect(await backups.verify()).toEqual([]);
});
