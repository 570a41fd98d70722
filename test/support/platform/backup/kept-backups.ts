import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackupServer } from "./backup-server.ts";
import { MemoryBucket } from "./memory-bucket.ts";
import { MemoryValues } from "./memory-values.ts";
import { ObjectSql } from "./object-sql.ts";
import { LedgerEngine } from "#ledger-engine";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import { BackupKeeper, type KeeperTools } from "#platform/backup/scheduled/backup-keeper.ts";
import { KEEPER_TABLES } from "#platform/backup/scheduled/keeper-tables.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { StartDeadline } from "#platform/work/deadline.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import type { Api } from "#scripts/lib/api.ts";
import { create, INFO, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

export const uuidOf = (number: number): string => `0f0e0d0c-0b0a-4908-8706-05040302010${number}`;

const NEVER = { end: () => undefined, signal: new AbortController().signal };

/** A deployment that keeps its backups in a bucket: its server, the storage of its object, and the bucket. */
export class KeptBackups {
  readonly server = new BackupServer();
  readonly bucket = new MemoryBucket();
  readonly values = new MemoryValues();
  readonly sql = new ObjectSql();
  nowMs = Date.parse("2026-11-28T03:00:00.000Z");
  kept = 7;
  keys: KeeperTools["keys"];
  /** Called before and after each call of the server, and may throw or never resolve. */
  aroundCall: (path: string) => Promise<void> = async () => undefined;
  /** Resolves when the process ends: whatever it does then never goes on. */
  killed: Promise<number> = new Promise(() => undefined);
  /** Starts the deadline of steps, which by default never passes: the time of the tests is `nowMs`. */
  startDeadline: StartDeadline = () => NEVER;
  readonly #ledgers: TestLedger[] = [];
  #api: Api | undefined;

  async open(ledgers = 2): Promise<this> {
    KEEPER_TABLES.migrateToEnd(this.sql);
    this.#api = await this.server.open();
    for (let number = 1; number <= ledgers; number++) this.addLedger(number);
    return this;
  }

  close(): void {
    this.server.close();
  }

  addLedger(number: number): void {
    const sql = new NodeSql();
    LedgerEngine.create(sql, { ...INFO, name: `ledger-${number}` });
    const ledger = new TestLedger({ sql, isStored: true });
    this.#ledgers.push(ledger);
    this.server.ledgers.push({ id: number, uuid: uuidOf(number), engine: ledger.engine });
  }

  /** Adds entries to all logs. */
  pay(count: number): void {
    for (const ledger of this.#ledgers) {
      for (let number = 1; number <= count; number++)
        ledger.run(create(posting("world -> users:1", number)));
    }
  }

  /** The object after a start: it has nothing but its storage. */
  keeper(): BackupKeeper {
    const { sql, values: kv, bucket, keys, kept } = this;
    const reads = this.#reads();
    const { startDeadline } = this;
    const tools = { sql, kv, bucket, keys, kept, reads, startDeadline };
    return new BackupKeeper({ ...tools, nowMs: () => this.nowMs });
  }

  /** Rings alarms until nothing is to be done; each time, the object has just been started. Returns their number. */
  async work(most = 500): Promise<number> {
    for (let alarms = 1; alarms <= most; alarms++) {
      // The process may end in the first call.
      const nextMs = await Promise.race([this.killed, this.keeper().work()]);
      if (nextMs === undefined) return alarms;
      this.nowMs = Math.max(this.nowMs, nextMs);
    }
    throw new Error("the run does not end");
  }

  /** Makes a backup of a day. */
  async day(number: number): Promise<void> {
    this.nowMs = Date.parse("2026-11-28T03:00:00.000Z") + number * 86_400_000;
    this.keeper().wake(this.nowMs);
    await this.work();
  }

  /** What `backup verify` says of a copy of the bucket. */
  async verify(): Promise<readonly string[]> {
    const path = mkdtempSync(join(tmpdir(), "florin-bucket-"));
    this.bucket.copyTo(path);
    const folder = new BackupFolder(path);
    const snapshot = folder.snapshots().at(-1) ?? "";
    return (await verifyBackup(folder, { snapshot, note: () => undefined })).problems;
  }

  /** The names of complete snapshots. */
  snapshots(): string[] {
    const manifests = [...this.bucket.files.keys()].filter((key) =>
      /^snapshots\/[^/]+\/manifest\.json$/.test(key),
    );
    return manifests.map((key) => key.split("/")[1] ?? "").toSorted();
  }

  #reads(): BackupReads {
    const api = this.#api;
    if (api === undefined) throw new Error("the server is not open");
    return {
      waitsMs: [],
      call: async (request) => {
        await this.aroundCall(request.path);
        const answer = await api.call(request);
        await this.aroundCall(request.path);
        return answer;
      },
      send: async (request) => {
        await this.aroundCall(request.path);
        const answer = await api.send(request);
        await this.aroundCall(request.path);
        return answer;
      },
    };
  }
}
