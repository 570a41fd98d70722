import { expect, onTestFinished, test } from "vitest";
import { KeptBackups } from "#test/support/platform/backup/kept-backups.ts";
import { MemoryBucket } from "#test/support/platform/backup/memory-bucket.ts";

/** A deployment with a ledger of three entries. */
async function paid(): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  backups.pay(3);
  return backups;
}

const bind = (backups: KeptBackups, bucket: MemoryBucket): void => {
  Object.assign(backups, { bucket });
};

/** Binds another bucket behind the first change of a file: the process ends, and the next one has the other bucket. */
function bindBehind(backups: KeptBackups, file: RegExp, other: MemoryBucket): void {
  const { promise, resolve } = Promise.withResolvers<number>();
  backups.killed = promise;
  let seen = 0;
  backups.bucket.around = async (operation, key) => {
    if (!CHANGES.has(operation) || !file.test(`${operation} ${key}`) || ++seen !== 2) return;
    resolve(backups.nowMs);
    backups.killed = new Promise(() => undefined);
    bind(backups, other);
    await backups.killed;
  };
}

const CHANGES: ReadonlySet<string> = new Set(["put", "putIf", "remove"]);
const PLACES: readonly (readonly [string, RegExp])[] = [
  ["behind the database", /\/database\/manifest\.json$/],
  ["behind a part of a log", /\/log-.*gz$/],
  ["behind the manifest", /^put snapshots\/[^/]+\/manifest\.json$/],
];

const etagOf = ([key, { etag }]: readonly [string, { readonly etag: string }]): string =>
  `${key} ${etag}`;

test.each([...PLACES, ["behind the removal of an older snapshot", /^remove /] as const])(
  "a bucket of another deployment that is bound during a run stays as it is: %s",
  async (_, file) => {
    const original = await paid();
    for (const day of [0, 1, 2]) await original.day(day);
    const before = [...original.bucket.files].map(etagOf);
    const copy = await paid();
    copy.kept = 1;
    for (const day of [0, 1, 2]) await copy.day(day);
    copy.pay(2);
    bindBehind(copy, file, original.bucket);
    await copy.day(3);
    expect(copy.bucket).toBe(original.bucket);
    expect([...original.bucket.files].map(etagOf)).toEqual(before);
    const { failure, pruning } = copy.keeper().state;
    expect((failure ?? pruning)?.reason).toContain("The bucket is another one");
    original.pay(1);
    await original.day(4);
    expect(original.keeper().state).toMatchObject({
      last: { added: 1, lacks: 0 },
      failure: undefined,
    });
    expect(await original.verify()).toEqual([]);
  },
);

test.each(PLACES)(
  "a former bucket that is bound again during a run gets no half of a snapshot: %s",
  async (_, file) => {
    const backups = await paid();
    await backups.day(0);
    const former = backups.bucket;
    bind(backups, new MemoryBucket());
    await backups.day(1);
    backups.pay(2);
    bindBehind(backups, file, former);
    await backups.day(2);
    expect(backups.bucket).toBe(former);
    expect(await backups.verify()).toEqual([]);
    expect(backups.snapshots()).toHaveLength(1);
    await backups.day(3);
    expect(backups.keeper().state).toMatchObject({
      last: { added: 2, lacks: 0 },
      failure: undefined,
    });
    expect(backups.snapshots()).toHaveLength(2);
    expect(await backups.verify()).toEqual([]);
  },
);
