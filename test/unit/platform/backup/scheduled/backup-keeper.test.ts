import { generateKeyPairSync, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { WrappedKeys } from "#platform/backup/saving/wrapped-keys.ts";
import { openKeys } from "#scripts/florin/backup/wrapped-keys.ts";
import { KeptBackups, uuidOf } from "#test/support/platform/backup/kept-backups.ts";

const opened: KeptBackups[] = [];
afterEach(() => {
  for (const backups of opened.splice(0)) backups.close();
});

async function kept(ledgers = 2): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(ledgers);
  opened.push(backups);
  return backups;
}

/** A deployment with ledgers of three entries and two objects. */
async function paid(ledgers = 2, objects = ["one", "two"]): Promise<KeptBackups> {
  const backups = await kept(ledgers);
  backups.server.objects.push(...objects);
  backups.pay(3);
  return backups;
}

const textOf = (backups: KeptBackups, key: string): string =>
  Buffer.from(backups.bucket.files.get(key)?.bytes ?? []).toString("utf8");

/** The manifest of the last snapshot. */
const manifestOf = (backups: KeptBackups): BackupManifest =>
  BackupManifest.parse(
    JSON.parse(textOf(backups, `snapshots/${backups.snapshots().at(-1)}/manifest.json`)),
  );

describe("backups that a deployment makes into a bucket", () => {
  test("a day's backup is one that the command verifies, and the next day adds only what is new", async () => {
    const backups = await paid();
    await backups.day(0);
    expect(backups.keeper().state.last).toMatchObject({
      snapshot: "000001-2026-11-28T03-00-00.000Z",
      added: 6,
      lacks: 0,
    });
    expect(await backups.verify()).toEqual([]);
    backups.pay(2);
    await backups.day(1);
    expect(backups.keeper().state.last).toMatchObject({ added: 4, lacks: 0 });
    expect(await backups.verify()).toEqual([]);
    const folder = `ledgers/${uuidOf(1)}`;
    const keys = [...backups.bucket.files.keys()].filter((key) => key.startsWith(folder));
    expect(keys.toSorted()).toEqual([
      `${folder}/log-1-3.jsonl.gz`,
      `${folder}/log-4-5.jsonl.gz`,
      `${folder}/origins-1-3.jsonl.gz`,
      `${folder}/origins-4-5.jsonl.gz`,
      `${folder}/parts.jsonl`,
    ]);
  });

  test("a ledger without anything new costs neither a call nor an operation of the bucket", async () => {
    const backups = await paid();
    await backups.day(0);
    const seen: string[] = [];
    const note = async (path: string, key = ""): Promise<void> => void seen.push(`${path} ${key}`);
    backups.aroundCall = note;
    backups.bucket.around = note;
    await backups.day(1);
    expect(backups.keeper().state.last).toMatchObject({ added: 0, lacks: 0 });
    expect(seen.filter((line) => line.includes(uuidOf(1)))).toEqual([]);
    expect(await backups.verify()).toEqual([]);
  });

  test("a process that ends before or after any operation leaves a run that goes on, and a whole backup", async () => {
    const whole = await paid(1, ["one"]);
    let places = 0;
    const count = async (): Promise<void> => void places++;
    whole.bucket.around = count;
    whole.aroundCall = count;
    await whole.day(0);
    expect(places).toBeGreaterThan(50);
    for (let killedAt = 1; killedAt <= places; killedAt++) {
      const backups = await paid(1, ["one"]);
      const { promise, resolve } = Promise.withResolvers<number>();
      backups.killed = promise;
      let left = killedAt;
      const kill = async (): Promise<void> => {
        if (--left !== 0) return;
        resolve(backups.nowMs);
        backups.killed = new Promise(() => undefined);
        await backups.killed;
      };
      backups.bucket.around = kill;
      backups.aroundCall = kill;
      await backups.day(0);
      expect(left).toBeLessThanOrEqual(0);
      expect(backups.keeper().state).toMatchObject({
        last: { lacks: 0 },
        run: undefined,
        failure: undefined,
      });
      expect(await backups.verify()).toEqual([]);
    }
  });

  test("a row that is longer than a value of the object's storage is saved", async () => {
    const backups = await paid(1, ["one"]);
    backups.server.objectState = "\u0001".repeat(400_000);
    await backups.day(0);
    expect(backups.keeper().state.last).toMatchObject({ lacks: 0 });
    expect(await backups.verify()).toEqual([]);
    const file = `snapshots/${backups.snapshots().at(-1)}/objects/${manifestOf(backups).objects[0]?.file}`;
    const text = gunzipSync(backups.bucket.files.get(file)?.bytes ?? "").toString("utf8");
    expect(text).toContain(JSON.stringify([1, backups.server.objectState]));
  });

  test("an operation that fails is done again later, and its reason is shown meanwhile", async () => {
    const backups = await paid();
    let left = 3;
    backups.bucket.around = async (operation) => {
      if (operation === "put" && left-- > 0) throw new Error("the bucket is away");
    };
    backups.keeper().wake(backups.nowMs);
    const beganMs = backups.nowMs;
    const nextMs = await backups.keeper().work();
    expect(nextMs).toBe(beganMs + 15_000);
    const { run, last } = backups.keeper().state;
    expect(run?.trouble).toMatchObject({ reason: "the bucket is away", failures: 1 });
    expect(last).toBeUndefined();
    await backups.work();
    expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, run: undefined });
    expect(await backups.verify()).toEqual([]);
  });

  test("a run that cannot go on ends with its reason, and the next day's run succeeds", async () => {
    const backups = await paid();
    backups.aroundCall = async (path) => {
      if (path === "/versions") throw new Error("no answer");
    };
    await backups.day(0);
    expect(backups.keeper().state).toMatchObject({
      run: undefined,
      failure: { reason: "no answer", failures: 1 },
    });
    backups.aroundCall = async () => undefined;
    await backups.day(1);
    expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
    expect(await backups.verify()).toEqual([]);
  });

  test("a copy of the database that was given up is begun anew, and not for ever", async () => {
    const backups = await paid();
    backups.server.refusals.set("/database-copies/copy/changes", [409, 409]);
    await backups.day(0);
    expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
    expect(await backups.verify()).toEqual([]);
    backups.server.refusals.set("/database-copies/copy/rows", Array<number>(100).fill(409));
    await backups.day(1);
    expect(backups.keeper().state.failure?.reason).toContain("refused with 409");
    expect(backups.snapshots()).toHaveLength(1);
  });

  test("a slot is one run, a run under way is left alone, and one that stands still gives way", async () => {
    const backups = await paid();
    expect(backups.keeper().wake(1000)).toBe(true);
    expect(backups.keeper().begin()).toBe(false);
    const { run } = backups.keeper().state;
    backups.nowMs += 60_000;
    expect(backups.keeper().wake(2000)).toBe(true);
    expect(backups.keeper().state.run).toEqual(run);
    backups.nowMs += 3_600_000;
    expect(backups.keeper().wake(3000)).toBe(true);
    expect(backups.keeper().state).toMatchObject({
      run: { beganMs: backups.nowMs },
      failure: { reason: "The run stood still for an hour." },
    });
    await backups.work();
    expect(backups.keeper().wake(3000)).toBe(false);
    // The clock was ahead, and has stepped back.
    expect(backups.keeper().wake(2500)).toBe(true);
  });

  test.each(["ends", "fails"])(
    "a step that stood still and %s after its run has given way changes nothing",
    async (how) => {
      const backups = await paid();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      backups.keeper().wake(1);
      backups.bucket.around = () => promise;
      const still = backups.keeper().work();
      backups.bucket.around = async () => undefined;
      backups.nowMs += 3_600_000;
      backups.keeper().wake(2);
      const { state } = backups.keeper();
      // The next run's own step is not to be done yet.
      backups.aroundCall = () => new Promise(() => undefined);
      if (how === "ends") resolve();
      else reject(new Error("no answer"));
      await Promise.race([still, new Promise(setImmediate)]);
      expect(backups.keeper().state).toEqual(state);
      backups.aroundCall = async () => undefined;
      await backups.work();
      expect(await backups.verify()).toEqual([]);
    },
  );

  test("keys are wrapped to the public key, and a backup without one has none", async () => {
    const pair = generateKeyPairSync("x25519");
    const keys = {
      FLORIN_SECRET_KEY: randomBytes(32).toString("base64"),
      FLORIN_PREVIOUS_SECRET_KEYS: [randomBytes(32).toString("base64")],
    };
    const backups = await paid();
    await backups.day(0);
    expect(manifestOf(backups).keys).toBeNull();
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
    for (const unfit of ["none", String(rsa.export({ type: "spki", format: "pem" }))]) {
      backups.keys = { keys, publicKey: unfit };
      backups.keeper().begin();
      await backups.work();
      const { failure } = backups.keeper().state;
      expect(failure?.reason).toContain("FLORIN_BACKUP_PUBLIC_KEY cannot be used");
    }
    const publicKey = String(pair.publicKey.export({ type: "spki", format: "pem" }));
    backups.keys = { keys, publicKey };
    await backups.day(1);
    expect(await backups.verify()).toEqual([]);
    const file = `snapshots/${backups.snapshots().at(-1)}/${manifestOf(backups).keys?.file}`;
    const privateKey = String(pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(openKeys(WrappedKeys.parse(JSON.parse(textOf(backups, file))), { privateKey })).toEqual(
      keys,
    );
  });
});

describe("what a backup in a bucket may lack", () => {
  test("a sick ledger and a sick object are named, all else is saved, and nothing older goes", async () => {
    const backups = await paid();
    backups.kept = 1;
    await backups.day(0);
    backups.pay(2);
    const [, second] = backups.server.ledgers;
    if (second === undefined) throw new Error("there are two ledgers");
    second.silence = "no such table: logs";
    backups.server.sickObjects.add("two");
    await backups.day(1);
    expect(backups.snapshots()).toHaveLength(2);
    expect(backups.keeper().state.last).toMatchObject({ added: 2, lacks: 2 });
    const { failed, objects, ledgers } = manifestOf(backups);
    expect(failed).toEqual([
      expect.objectContaining({ name: "ledger-2", reason: "no such table: logs", entries: 3 }),
    ]);
    expect(objects[0]).toMatchObject({ objects: 1, failed: [{ object: "two" }] });
    expect(ledgers.map(({ name }) => name)).toEqual(["ledger-1"]);
    expect(await backups.verify()).toHaveLength(2);
    delete second.silence;
    backups.server.sickObjects.clear();
    await backups.day(2);
    expect(backups.snapshots()).toHaveLength(1);
    expect(manifestOf(backups).failed).toBeUndefined();
    expect(await backups.verify()).toEqual([]);
  });

  test("an object without tables is left out, and its copy ends, so that the next day's may begin", async () => {
    const backups = await paid();
    backups.server.emptyObjects.add("two");
    for (const day of [0, 1]) {
      await backups.day(day);
      expect(backups.server.openCopies.size).toBe(0);
      expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
      expect(manifestOf(backups).objects[0]).toMatchObject({ objects: 1 });
    }
    expect(await backups.verify()).toEqual([]);
  });

  test("an object of which another copy is never ended is named after a while", async () => {
    const backups = await paid();
    backups.server.openCopies.set("two", 1000);
    await backups.day(0);
    expect(backups.keeper().state.last).toMatchObject({ lacks: 1 });
    expect(manifestOf(backups).objects[0]?.failed).toMatchObject([{ object: "two" }]);
  });

  test("of a silent ledger, events are published as far as the last snapshot says", async () => {
    const backups = await paid();
    for (const { engine } of backups.server.ledgers) engine.confirmPublished(2);
    await backups.day(0);
    for (const { engine } of backups.server.ledgers) engine.confirmPublished(3);
    const [, second] = backups.server.ledgers;
    if (second === undefined) throw new Error("there are two ledgers");
    second.silence = "busy";
    backups.server.afterDatabase = () => delete second.silence;
    await backups.day(1);
    expect(manifestOf(backups).ledgers.map(({ publishedLogId }) => publishedLogId)).toEqual([3, 2]);
  });

  test("a ledger that was purged is named, and its parts go with the last snapshot that has it", async () => {
    const backups = await paid();
    backups.kept = 2;
    await backups.day(0);
    backups.server.afterDatabase = () => void backups.server.ledgers.pop();
    await backups.day(1);
    backups.server.afterDatabase = () => undefined;
    expect(manifestOf(backups).purged).toEqual([uuidOf(2)]);
    const hasParts = (): boolean =>
      [...backups.bucket.files.keys()].some((key) => key.includes(uuidOf(2)));
    expect(hasParts()).toBe(true);
    await backups.day(2);
    expect(backups.snapshots()).toHaveLength(2);
    expect(hasParts()).toBe(false);
    expect(await backups.verify()).toEqual([]);
  });
});

describe("a bucket that is not as it was", () => {
  test("a log that does not continue what was saved ends the run, and nothing of the bucket's changes", async () => {
    const backups = await paid();
    await backups.day(0);
    const before = [...backups.bucket.files].filter(([key]) => key.startsWith("ledgers/"));
    const [first, second] = backups.server.ledgers;
    if (first === undefined || second === undefined) throw new Error("there are two ledgers");
    backups.pay(1);
    const other = await kept(1);
    const [stranger] = other.server.ledgers;
    other.pay(1);
    if (stranger === undefined) throw new Error("there is a ledger");
    Object.assign(second, { engine: stranger.engine });
    await backups.day(1);
    expect(backups.keeper().state.failure?.reason).toContain("does not continue");
    expect(backups.snapshots()).toHaveLength(1);
    const after = [...backups.bucket.files].filter(([key]) => key.startsWith("ledgers/"));
    expect(after).toEqual(before);
    expect(await backups.verify()).toEqual([]);
  });

  test("lost files of parts are read again, and a list of parts that was changed ends the run", async () => {
    const backups = await paid();
    await backups.day(0);
    backups.bucket.files.delete(`ledgers/${uuidOf(1)}/log-1-3.jsonl.gz`);
    await backups.day(1);
    expect(await backups.verify()).toEqual([]);
    expect([...backups.bucket.files.keys()].filter((key) => key.endsWith(".partial"))).toEqual([]);
    backups.bucket.files.delete(`ledgers/${uuidOf(1)}/parts.jsonl`);
    await backups.day(2);
    expect(backups.keeper().state.failure?.reason).toContain("The list of parts of the ledger");
  });

  test("a snapshot that was never completed goes, and older ones go with their manifests first", async () => {
    const backups = await paid();
    backups.kept = 2;
    await backups.day(0);
    const file = { bytes: Buffer.from("half"), etag: "x" };
    backups.bucket.files.set("snapshots/000002-2026-11-28T09-00-00.000Z/keys.json", file);
    await backups.day(1);
    expect(backups.snapshots().map((name) => name.slice(0, 6))).toEqual(["000001", "000003"]);
    const removed: string[] = [];
    backups.bucket.around = async (operation, key) => {
      if (operation === "remove") removed.push(key);
    };
    await backups.day(2);
    expect(removed[0]).toBe("snapshots/000001-2026-11-28T03-00-00.000Z/manifest.json");
    const left = [...backups.bucket.files.keys()].filter((key) => key.startsWith("snapshots/"));
    expect(new Set(left.map((key) => key.slice(10, 16)))).toEqual(new Set(["000003", "000004"]));
    expect(await backups.verify()).toEqual([]);
  });
});
