import { and, eq } from "drizzle-orm";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { audit } from "#platform/audit/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { memoByEnv } from "#platform/memo.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** The action of a backup's entry in the audit. */
const BACKUP_BEGIN = "deployment.backup.begin";
/** How long a backup may read after it has begun, in milliseconds: a day. */
const OPEN_MS = 86_400_000;

/** A backup that has begun. The audit has its id, so that whatever it reads was read by somebody whom the audit names. */
export interface BegunBackup {
  readonly id: string;
  readonly at: Timestamp;
  /** The id of the key with which secrets are encrypted at present. */
  readonly keyId: string;
}

const objectOf = (id: string): string => `backups/${id}`;

/** The backups that an isolate has found in the audit, by their ids. Entries of the audit never change. */
const knownBackupsOf = memoByEnv((_env: object) => new Map<string, KnownBackup>());

interface KnownBackup {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  readonly beganMs: number;
}

/** Notes in the audit that the caller begins a backup. */
export async function beginBackup(context: ServiceContext): Promise<BegunBackup> {
  const [id, at] = [newId(), context.clock()];
  await new AuditedChange(context, { action: BACKUP_BEGIN, object: objectOf(id) }).record();
  return { id, at, keyId: SecretBox.from(context.env).keyId };
}

/** Throws `NOT_FOUND` unless the caller has begun the backup, less than a day ago. */
export async function assertBegun(context: ServiceContext, id: string): Promise<void> {
  const { issuer, clientId, subject } = context.principal;
  const backup = await findBackup(context, id);
  const isOwn =
    backup?.issuer === issuer && backup.clientId === clientId && backup.subject === subject;
  // The difference is negative where the clock has stepped back.
  const isOpen =
    backup !== undefined && Math.abs(toMillis(context.clock()) - backup.beganMs) < OPEN_MS;
  if (isOwn && isOpen) return;
  throw new AppError(
    "NOT_FOUND",
    `the caller has begun no backup ${id} within a day; begin one with POST /api/florin/v1/backup`,
  );
}

async function findBackup({ env }: ServiceContext, id: string): Promise<KnownBackup | undefined> {
  const known = knownBackupsOf(env);
  const found = known.get(id);
  if (found !== undefined) return found;
  const [entry] = await databaseOf(env)
    .select()
    .from(audit)
    .where(and(eq(audit.object, objectOf(id)), eq(audit.action, BACKUP_BEGIN)));
  if (entry === undefined) return undefined;
  const { issuer, clientId, subject, date } = entry;
  const backup = { issuer, clientId, subject, beganMs: toMillis(date) };
  known.set(id, backup);
  return backup;
}
