import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { armingSettings } from "#platform/platform-settings.ts";
import type { RestorationPlan } from "#platform/restoration/restoration-plan.ts";
import { newRestorationToken, restorationTokenHash } from "#platform/restoration/token-text.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { type ApiInit, api } from "#test/support/platform/api.ts";
import { newStatementSource, uploaded } from "#test/support/reconciliation/uploads.ts";

export const RESTORATIONS = "/api/florin/v1/restorations";

/** A restoration that is under way, whose requests a test sends. */
export interface TestRestoration {
  readonly id: string;
  readonly token: string;
  readonly call: (path: string, init?: ApiInit) => Promise<Response>;
}

/** The requests of a restoration that was begun. */
export const restorationWith = (id: string, token: string): TestRestoration => ({
  id,
  token,
  call: (path, init) => api(`${RESTORATIONS}/${id}${path}`, { token, ...init }),
});

let settings: { mockRestore: () => void } | undefined;

/** Serves the deployment as with `FLORIN_RESTORE`, until `serveAgain`. */
export function takeBackup(): void {
  if (settings !== undefined) return;
  const { of } = armingSettings;
  settings = vi
    .spyOn(armingSettings, "of")
    .mockImplementation((env) => ({ ...of(env), FLORIN_RESTORE: true }));
}

/** Serves the deployment as without `FLORIN_RESTORE`. */
export function serveAgain(): void {
  settings?.mockRestore();
  settings = undefined;
}

/** A plan in which nothing comes. */
export const NOTHING_COMES: RestorationPlan = {
  migration: MIGRATIONS.at(-1) ?? "",
  keyIds: [],
  tables: {},
  ledgers: 0,
  missingLedgers: [],
  objects: {},
};

/** Puts a restoration into the database that is under way, by default with rows that are written, and serves the deployment for it. */
export async function underWay({
  isWritten = true,
  plan = {},
}: {
  readonly isWritten?: boolean;
  readonly plan?: Partial<RestorationPlan>;
} = {}): Promise<TestRestoration> {
  takeBackup();
  const token = newRestorationToken();
  const id = crypto.randomUUID();
  await env.DB.prepare("DELETE FROM restored_tables").run();
  await env.DB.prepare("DELETE FROM restored_parts").run();
  await env.DB.prepare(
    `INSERT OR REPLACE INTO restoration (id, reference, backup, moment, stage, token_hash, began_at, written_at, plan, issuer, subject, client_id)
     VALUES (1, ?, ?, '2026-03-01T09:30:00.000Z', 'under-way', ?, '2026-03-02T09:30:00.000000Z', ?, ?, 'issuer', 'ada', 'console')`,
  )
    .bind(
      id,
      "a".repeat(64),
      restorationTokenHash(token),
      isWritten ? "2026-03-02T09:31:00.000000Z" : null,
      JSON.stringify({ ...NOTHING_COMES, ...plan }),
    )
    .run();
  return restorationWith(id, token);
}

/** Ends what a file has restored: the next file has the same isolate. */
export async function workForTheNextFile(): Promise<void> {
  serveAgain();
  for (const table of ["restoration", "restored_tables", "restored_parts", "disarmament"]) {
    await env.DB.prepare(`DELETE FROM ${table}`).run();
  }
}

/** Puts a ledger with a uuid into the catalogue, as the rows of a backup do. */
async function cataloguedWith(uuid: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at)
     SELECT ?, 'restored', bucket, '{}', features, added_at FROM ledgers WHERE name = 'archive'`,
  )
    .bind(uuid)
    .run();
}

/** Puts a pipeline into the database, as the rows of a backup do. It is deleted, so that nothing else finds it. */
async function pipelineWith(id: string): Promise<void> {
  await env.DB.prepare(
    `INSERT OR IGNORE INTO pipelines (id, ledger, exporter_id, enabled, resets, revision, synced_revision, sync_attempts, sync_after, created_at, deleted_at)
     VALUES (?, 'archive', 'none', 0, 0, 1, 1, 0, ?, ?, ?)`,
  )
    .bind(id, ...Array.from({ length: 3 }, () => "2026-03-01T09:00:00.000000Z"))
    .run();
}

/** Puts a source of statements into the database, as the rows of a backup do. It is deleted, so that nothing else finds it. */
async function sourceWith(id: string): Promise<void> {
  await env.DB.prepare(
    `INSERT OR IGNORE INTO reconciliation_sources
       (id, name, kind, definition, ledgers, has_payments, created_at, updated_at, created_by, deleted_at)
     VALUES (?, 'restored', 'statement', '{}', '[]', 0, ?, ?, 'ada', ?)`,
  )
    .bind(id, ...Array.from({ length: 3 }, () => "2026-03-01T09:00:00.000000Z"))
    .run();
}

/** Notes that everything came: all tables, and the ledgers that the database has. */
export async function writtenToTheEnd(): Promise<void> {
  const tables = await restorableTables(d1CopyDatabase(env.DB));
  await env.DB.batch(
    tables.map(({ name }) =>
      env.DB.prepare("INSERT OR REPLACE INTO restored_tables VALUES (?, 0, 1)").bind(name),
    ),
  );
  await env.DB.prepare(
    "INSERT OR REPLACE INTO restored_parts SELECT 'ledger', uuid, -1 FROM ledgers",
  ).run();
  await env.DB.prepare(
    `UPDATE restoration SET plan = json_set(plan, '$.ledgers',
       (SELECT count(*) FROM restored_parts WHERE kind = 'ledger'),
       '$.tables', json('{}'))`,
  ).run();
}

const EXAMPLE_BACKUP = "4c7b0f2ad5e9186b3a0d9e7f51c2846be0917d35fa62c48b1d03e5a79f6c8b20";
const EXAMPLE_PIPELINE = "2f0a7c55-3f53-4f0b-9a43-0d9c1f8be6a7";
const EXAMPLE_SOURCE = "8d2e3f40-6b7c-4d8e-9fa0-1b2c3d4e5f60";
const EXAMPLE_STATEMENT =
  '{"statement":{"id":"2026-03","account":"DE02120300000000202051","asset":"EUR/2","from":"2026-03-01","to":"2026-03-31"}}';
const EXAMPLE_LEDGER = "c0b1b3a4-7d2f-4e6a-8a57-0f6d2b9c4e11";

/** What happens between the examples of a restoration, whose deployment is not empty, by the operation of the example that comes next. */
export const BETWEEN_EXAMPLES: Readonly<Record<string, () => Promise<void>>> = {
  // A restoration of the same backup is under way, which goes on.
  florinBeginRestoration: async () => {
    await underWay({ isWritten: false });
    await env.DB.prepare("UPDATE restoration SET backup = ?").bind(EXAMPLE_BACKUP).run();
  },
  // As if the first rows had been written into an empty deployment.
  florinRestoreRows: async () => {
    await env.DB.prepare("UPDATE restoration SET written_at = '2026-03-02T09:31:00.000000Z'").run();
  },
  florinReadRestoredLedger: () => cataloguedWith(EXAMPLE_LEDGER),
  florinBeginObjectRestoration: async () => {
    await pipelineWith(EXAMPLE_PIPELINE);
    await sourceWith(EXAMPLE_SOURCE);
  },
  florinListKeptFiles: async () => {
    await uploaded(await newStatementSource(), EXAMPLE_STATEMENT);
  },
  // The examples of other modules know nothing of this statement.
  florinBeginDatabaseCopy: async () => {
    for (const table of ["statements", "statement_heads", "sources"]) {
      const name = `reconciliation_${table}`;
      await env.DB.prepare(`DELETE FROM ${name}`).run();
      await env.DB.prepare("DELETE FROM sqlite_sequence WHERE name = ?").bind(name).run();
    }
  },
  florinEndRestoration: writtenToTheEnd,
  // As if nothing had been written.
  florinAbandonRestoration: async () => {
    await env.DB.prepare("UPDATE restoration SET stage = 'under-way', written_at = NULL").run();
  },
  // The next example is of a deployment that works.
  florinReadArming: async () => serveAgain(),
};
