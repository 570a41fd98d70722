import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { present } from "#platform/assert.ts";
import { KeptBackups, uuidOf } from "#test/support/platform/backup/kept-backups.ts";

/** A deployment with a ledger of three entries and three files of an object, which saves its keys, too. */
async function paid(): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  const pair = generateKeyPairSync("x25519");
  const publicKey = String(pair.publicKey.export({ type: "spki", format: "pem" }));
  const FLORIN_SECRET_KEY = randomBytes(32).toString("base64");
  backups.keys = { keys: { FLORIN_SECRET_KEY, FLORIN_PREVIOUS_SECRET_KEYS: [] }, publicKey };
  backups.pay(3);
  for (const file of ["a", "b", "c"])
    backups.server.files.set(file, { object: "bank", bytes: Buffer.from(file) });
  return backups;
}

/** Where a step stands still: before (1) or behind (2) an operation of the bucket, or a call of the server. */
type Place = { readonly operation: string; readonly key: RegExp } | { readonly path: string };

/** Makes a backup one of whose steps stands still until the run is over, and lets the rest of that step happen then. */
async function dayWithLateStep(backups: KeptBackups, side: 1 | 2, place: Place): Promise<void> {
  const still = Promise.withResolvers<void>();
  let passes = (): void => undefined;
  backups.startDeadline = (_afterMs, pass) => {
    passes = pass;
    return { end: () => undefined, signal: new AbortController().signal };
  };
  let seen = 0;
  const stand = async (isHere: boolean): Promise<void> => {
    if (!isHere || ++seen !== side) return;
    queueMicrotask(passes);
    await still.promise;
  };
  if ("path" in place) backups.aroundCall = (path) => stand(path.endsWith(place.path));
  else
    backups.bucket.around = (operation, key) =>
      stand(operation === place.operation && place.key.test(key));
  await backups.day(0);
  expect(seen).toBeGreaterThanOrEqual(2);
  still.resolve();
  for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
}

const PLACES: Readonly<Record<string, Place>> = {
  "the entries of a log": { path: "/log" },
  "what a log does not determine": { path: "/origins" },
  "a part": { operation: "putIf", key: /log-.*gz$/ },
  "the list of parts": { operation: "putIf", key: /parts\.jsonl$/ },
  "a table": { operation: "put", key: /ledgers\.jsonl\.gz$/ },
  "the database": { operation: "put", key: /database\/manifest\.json$/ },
  "which files there are": { path: "/objects/files" },
  "the bytes of a file": { path: "/objects/files/content" },
  "a file": { operation: "putStream", key: /^files\// },
  "the list of files": { operation: "put", key: /\/files\.jsonl\.gz$/ },
  "the keys": { operation: "putIf", key: /keys\.json$/ },
  "the manifest": { operation: "put", key: /^snapshots\/[^/]+\/manifest\.json$/ },
};
const CASES = Object.keys(PLACES).flatMap((name) => [[name, 1] as const, [name, 2] as const]);

test.each(CASES)(
  "a step that goes on after its run is over changes nothing: %s, side %i",
  async (name, side) => {
    const backups = await paid();
    await dayWithLateStep(backups, side, present(PLACES[name], "each case has a place"));
    const { last } = backups.keeper().state;
    expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
    expect(await backups.verify()).toEqual([]);
    const manifest = backups.bucket.files.get(`snapshots/${last?.snapshot}/manifest.json`);
    const hash = createHash("sha256").update(manifest?.bytes ?? "");
    expect(hash.digest("hex")).toBe(last?.sha256);
    backups.pay(2);
    await backups.day(1);
    expect(backups.keeper().state).toMatchObject({ last: { added: 2, lacks: 0 } });
    expect(await backups.verify()).toEqual([]);
    const list = backups.bucket.files.get(`ledgers/${uuidOf(1)}/parts.jsonl`);
    expect(
      Buffer.from(list?.bytes ?? [])
        .toString()
        .split("\n"),
    ).toHaveLength(3);
  },
);
