import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { saveLedger } from "#platform/backup/saving/save-ledger.ts";
import type { ListedLedger } from "#platform/backup/saving/saved-ledgers.ts";
import {
  directoryParts,
  hashOfParts,
  type LedgerPart,
  readParts,
} from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import { verifyLedger } from "#scripts/florin/backup/ledgers/verify-ledger.ts";
import type { Api } from "#scripts/lib/api.ts";
import { create, posting, setMetadata, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { exportOf } from "#test/support/ledger-engine/logs.ts";
import { variedLedger } from "#test/support/ledger-engine/varied-ledger.ts";
import { LogServer } from "#test/support/platform/backup/log-server.ts";

const UUID = "0f0e0d0c-0b0a-4908-8706-050403020100";

/** Writes entries, by two clients in turns. */
function write(ledger: TestLedger, count: number): void {
  for (let number = 0; number < count; number++) {
    const clientId = number % 3 === 0 ? "bank" : "shop";
    const author = { issuer: "https://issuer.example.com", subject: `${clientId}\u2028`, clientId };
    const command =
      number % 5 === 4
        ? setMetadata("users:1", { note: `é ${number} \n","id":9` })
        : create(posting(`world -> users:${number % 4}`, 1 + number));
    ledger.run(command, { author, key: number % 7 === 0 ? `key-${ledger.engine.lastLogId}` : "" });
  }
}

class Saving {
  readonly folder = mkdtempSync(join(tmpdir(), "florin-saved-ledger-"));
  readonly server: LogServer;
  readonly api: Api;

  constructor(server: LogServer, api: Api) {
    this.server = server;
    this.api = api;
  }

  get ledger(): ListedLedger {
    const { info, reads } = this.server.engine;
    const { lastLogId, lastHash, publishedLogId } = reads.head();
    const { name, bucket, features } = info;
    const listed = { id: 1, uuid: UUID, name, bucket, features: { ...features } };
    return { ...listed, lastLogId, lastHash, publishedLogId };
  }

  run(entries = 1000, bytes = Infinity): Promise<LedgerPart[]> {
    const { api: reads, ledger } = this;
    const folder = directoryParts(this.folder);
    const partMax = { entries, bytes };
    return saveLedger({ reads, ledger, folder, partMax, onPart: () => undefined });
  }

  /** The text of all parts. */
  get text(): string {
    return readParts(this.folder)
      .map(({ log }) => gunzipSync(readFileSync(join(this.folder, log.file))).toString("utf8"))
      .join("");
  }

  verify(): Promise<string[]> {
    const parts = readParts(this.folder);
    const entries = parts.reduce((sum, part) => sum + part.entries, 0);
    const described = {
      entries,
      parts: parts.length,
      partsSha256: hashOfParts(this.folder, parts.length),
    };
    return verifyLedger(this.folder, { ...this.ledger, ...described });
  }
}

const servers: LogServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function savingOf(ledger: TestLedger, answerEntries = 10): Promise<Saving> {
  const server = new LogServer(ledger.engine, answerEntries);
  servers.push(server);
  return new Saving(server, await server.open());
}

test("a log is saved in parts with the text of its export, and each run adds only what is new", async () => {
  const ledger = new TestLedger();
  write(ledger, 55);
  const saving = await savingOf(ledger);
  const parts = await saving.run(20);
  expect(parts.map(({ from, to }) => [from, to])).toEqual([
    [1, 28],
    [29, 55],
  ]);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.run()).toEqual(parts);
  write(ledger, 3);
  saving.server.begins.length = 0;
  const more = await saving.run();
  expect(more.slice(0, 2)).toEqual(parts);
  expect(more[2]).toMatchObject({ from: 56, to: 58, entries: 3 });
  // The last saved entry is read again, so that its hash can be compared.
  expect(saving.server.begins).toEqual([54]);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.verify()).toEqual([]);
});

test("an answer that is refused or breaks off is asked for again, from the last whole line on", async () => {
  const ledger = new TestLedger();
  write(ledger, 40);
  const saving = await savingOf(ledger, 25);
  saving.server.faults.push({ status: 503 }, { cutAfter: 3000 }, { cutAfter: 10 });
  const parts = await saving.run();
  expect(parts).toHaveLength(1);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.verify()).toEqual([]);
});

test("what a run has left that was killed is no part, and the next run goes on behind the complete parts", async () => {
  const ledger = new TestLedger();
  write(ledger, 45);
  const saving = await savingOf(ledger);
  await saving.run(20);
  const path = join(saving.folder, "parts.jsonl");
  const [first = ""] = readFileSync(path, "utf8").split("\n");
  // The second part's line was cut off, and a third file was not complete.
  writeFileSync(path, `${first}\n{"from":29,"to"`);
  writeFileSync(join(saving.folder, "log.partial"), "half");
  expect(readParts(saving.folder)).toHaveLength(1);
  const parts = await saving.run(1000);
  expect(parts.map(({ from, to }) => [from, to])).toEqual([
    [1, 28],
    [29, 45],
  ]);
  expect(readdirSync(saving.folder)).toHaveLength(5);
  expect(await saving.verify()).toEqual([]);
});

test.each([
  ["shorter", 20],
  ["as long", 30],
  ["longer", 40],
])(
  "a log that is %s and not the one that was saved is refused, and nothing is added",
  async (_, count) => {
    const ledger = new TestLedger();
    write(ledger, 30);
    const saving = await savingOf(ledger);
    const parts = await saving.run();
    const other = new TestLedger();
    other.run(create(posting("world -> somebody:else", 1)));
    write(other, count - 1);
    saving.server.engine = other.engine;
    await expect(saving.run()).rejects.toThrow(
      "does not continue the one that was saved up to entry 30",
    );
    expect(readParts(saving.folder)).toEqual(parts);
  },
);

test("a ledger without hashes is compared by the text of its last line", async () => {
  const features = { HASH_LOGS: "DISABLED" } as const;
  const ledger = new TestLedger({ features });
  write(ledger, 12);
  const saving = await savingOf(ledger);
  await saving.run();
  write(ledger, 2);
  expect(await saving.run()).toHaveLength(2);
  expect(await saving.verify()).toEqual([]);
  const other = new TestLedger({ features });
  write(other, 13);
  other.run(create(posting("world -> somebody:else", 1)));
  write(other, 9);
  saving.server.engine = other.engine;
  await expect(saving.run()).rejects.toThrow("does not continue");
  const asLong = new TestLedger({ features });
  write(asLong, 13);
  asLong.run(create(posting("world -> somebody:else", 1)));
  saving.server.engine = asLong.engine;
  await expect(saving.run()).rejects.toThrow("up to entry 14");
});

test("a part ends after some text as well, and a long one has no fewer entries than one answer", async () => {
  const ledger = new TestLedger();
  write(ledger, 55);
  const saving = await savingOf(ledger);
  const parts = await saving.run(1000, 12_000);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts[0]?.entries).toBeGreaterThanOrEqual(10);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.verify()).toEqual([]);
});

test("parts whose files are lost or shortened are read again byte for byte, also where nothing is new", async () => {
  const ledger = new TestLedger();
  write(ledger, 70);
  const saving = await savingOf(ledger);
  const parts = await saving.run(20);
  const list = readFileSync(join(saving.folder, "parts.jsonl"), "utf8");
  const [first, second] = parts;
  if (first === undefined || second === undefined) throw new Error("there are two parts");
  truncateSync(join(saving.folder, first.origins.file), 5);
  rmSync(join(saving.folder, second.log.file));
  expect(await saving.verify()).toHaveLength(2);
  expect(await saving.run(20)).toEqual(parts);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.verify()).toEqual([]);
  expect(readFileSync(join(saving.folder, "parts.jsonl"), "utf8")).toBe(list);
  expect(readdirSync(saving.folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
});

test("a lost part that the server does not have any more as it was is named, and its place stays empty", async () => {
  const ledger = new TestLedger();
  write(ledger, 30);
  const saving = await savingOf(ledger);
  await saving.run();
  const other = new TestLedger();
  write(other, 29);
  other.run(create(posting("world -> somebody:else", 1)));
  changePart(saving, (part) => {
    const { lastHash } = other.engine.reads.head();
    rmSync(join(saving.folder, part.log.file));
    return { ...part, lastHash };
  });
  saving.server.engine = other.engine;
  await expect(saving.run()).rejects.toThrow("does not have them byte for byte any more");
  expect(readdirSync(saving.folder)).not.toContain("log-1-30.jsonl.gz");
});

test("files of complete parts stay whatever the list of parts says", async () => {
  const ledger = new TestLedger();
  write(ledger, 45);
  const saving = await savingOf(ledger);
  await saving.run(20);
  const files = readdirSync(saving.folder);
  writeFileSync(join(saving.folder, "parts.jsonl"), "");
  await saving.run();
  expect(readdirSync(saving.folder)).toEqual(expect.arrayContaining(files));
});

test("entries of every kind are saved and replayed: reverts, back-dated transactions, schemas", async () => {
  const ledger = variedLedger();
  const saving = await savingOf(ledger);
  await saving.run(7);
  expect(saving.text).toBe(exportOf(ledger));
  expect(await saving.verify()).toEqual([]);
});

test("an empty log has no part, and is complete", async () => {
  const saving = await savingOf(new TestLedger());
  expect(await saving.run()).toEqual([]);
  expect(await saving.verify()).toEqual([]);
});

test("a part that was changed, or has another entry than its neighbours say, is found", async () => {
  const ledger = new TestLedger();
  write(ledger, 30);
  const saving = await savingOf(ledger);
  const [part] = await saving.run();
  const described = { ...saving.ledger, entries: 30, parts: 1 };
  const log = join(saving.folder, part?.log.file ?? "");
  appendFileSync(log, "x");
  expect(await saving.verify()).toEqual([expect.stringContaining("bytes instead of")]);
  // A list of parts that agrees with itself, and not with the manifest.
  const partsSha256 = "0".repeat(64);
  expect(await verifyLedger(saving.folder, { ...described, partsSha256 })).toEqual([
    expect.stringContaining("the list of its parts"),
  ]);
});

/** Another line of a list of parts, and the hash that a manifest would have of it. */
function changePart(saving: Saving, change: (part: LedgerPart) => object): void {
  const [part] = readParts(saving.folder);
  if (part === undefined) throw new Error("there is a part");
  writeFileSync(join(saving.folder, "parts.jsonl"), `${JSON.stringify(change(part))}\n`);
}

test("a part with fewer facts about its entries than were saved is found", async () => {
  const ledger = new TestLedger();
  write(ledger, 30);
  const saving = await savingOf(ledger);
  await saving.run();
  changePart(saving, (part) => {
    const bytes = gzipSync("");
    writeFileSync(join(saving.folder, part.origins.file), bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { ...part, origins: { ...part.origins, bytes: bytes.length, sha256 } };
  });
  expect(await saving.verify()).toEqual([expect.stringMatching(/has 0 facts instead of \d+/)]);
});

test("the hash of parts covers each byte of their lines", async () => {
  const ledger = new TestLedger();
  write(ledger, 3);
  const saving = await savingOf(ledger);
  await saving.run();
  const before = hashOfParts(saving.folder, 1);
  changePart(saving, (part) => ({ ...part, more: true }));
  expect(hashOfParts(saving.folder, 1)).not.toBe(before);
  // A line of a run that broke off after the snapshot does not belong to it.
  const whole = hashOfParts(saving.folder, 1);
  appendFileSync(join(saving.folder, "parts.jsonl"), "none\n");
  expect(hashOfParts(saving.folder, 1)).toBe(whole);
  expect(readParts(saving.folder, 1)).toHaveLength(1);
  expect(() => readParts(saving.folder)).toThrow("line 2 does not describe a part");
});
