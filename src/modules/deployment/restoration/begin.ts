import { and, eq, sql } from "drizzle-orm";
import { HAS_NEVER_HAD_LEDGERS, whatIsInTheWay } from "./emptiness.ts";
import { disarmingStatements } from "#modules/deployment/arming/change.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { planOf, type RestorationPlan } from "#platform/restoration/restoration-plan.ts";
import {
  findRestoration,
  noteWritten,
  overError,
  type StoredRestoration,
} from "#platform/restoration/restoration-token.ts";
import { restoration } from "#platform/restoration/tables.ts";
import { restorationTokenHash } from "#platform/restoration/token-text.ts";
import { keyIdOf } from "#platform/secrets/secrets.ts";
import type { Timestamp } from "#platform/time.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";

/** What a restoration is begun with: facts of the backup's manifest, and what will come. */
export interface RestorationOrder extends RestorationPlan {
  /** The SHA-256 of the manifest, in hexadecimal digits. */
  readonly backup: string;
  /** When the saved database was copied, as the manifest says. */
  readonly moment: string;
  /** The token that all requests of the restoration will carry. */
  readonly token: string;
  /** Whether only a restoration that is under way is gone on with, perhaps to give it up: then its keys and tables do not matter. */
  readonly goesOn: boolean;
}

/** A restoration that has begun, or goes on. */
export interface BegunRestoration {
  readonly id: string;
  readonly beganAt: Timestamp;
}

/** Most obstacles that a refusal names. */
const NAMED_MAX = 10;

/**
 * Begins the restoration of a backup, or goes on with that of the same backup. One transaction marks the deployment as a restored one that is
 * disarmed, and as one into which a backup is being restored. Nothing else is at work: the deployment is served with `FLORIN_RESTORE`.
 *
 * The token is that of the request, so that a beginning whose answer was lost may be repeated; an earlier token is no longer valid. Throws
 * `CONFLICT` where the deployment is not empty, another backup is being restored, none is and one shall go on, or the server lacks a key;
 * and `VALIDATION` for tables of another version.
 */
export async function beginRestoration(
  context: ServiceContext,
  order: RestorationOrder,
): Promise<BegunRestoration> {
  const known = await findRestoration(databaseOf(context.env));
  if (known === undefined && order.goesOn) {
    throw new AppError("CONFLICT", "no restoration is under way");
  }
  if (!order.goesOn) {
    assertSameTables(order.migration);
    assertKeys(context.env, order.keyIds);
  }
  const { reference: id, beganAt } =
    known === undefined ? await beginNew(context, order) : await goOn(context, known, order);
  return { id, beganAt };
}

/**
 * Notes, before the first row is written, that the deployment is no longer as it was. Throws `CONFLICT` where it is no longer empty: a piece of
 * work has ended that was under way when the deployment was served with `FLORIN_RESTORE`.
 */
export async function beginWriting(
  context: ServiceContext,
  known: StoredRestoration,
): Promise<void> {
  if (known.writtenAt !== null) return;
  const found = await whatIsInTheWay(context.env);
  if (found.length > 0) throw notEmpty(found);
  await noteWritten(context, known);
}

/** Why a restoration cannot go on at this server, as a sentence: it has tables of another version, or lacks a key. Undefined if it can. */
export function whyNotHere(env: Env, known: StoredRestoration): string | undefined {
  const { migration, keyIds } = planOf(known);
  const own = MIGRATIONS.at(-1);
  return migration === own
    ? missingKeys(env, keyIds)
    : `the restoration has begun with tables up to the migration ${migration}, and those of this server go up to ${own}: go on with the version that it has begun with`;
}

function assertSameTables(migration: string): void {
  const own = MIGRATIONS.at(-1);
  if (migration === own) return;
  throw new AppError(
    "VALIDATION",
    `the rows are of tables up to the migration ${migration}, and those of this server go up to ${own}: restore with the command of the server's version`,
  );
}

function assertKeys(env: Env, keyIds: readonly string[]): void {
  const sentence = missingKeys(env, keyIds);
  if (sentence !== undefined) throw new AppError("CONFLICT", sentence);
}

/** What to do about keys that the server does not have; undefined if it has all. */
function missingKeys(env: Env, keyIds: readonly string[]): string | undefined {
  const { FLORIN_SECRET_KEY: current, FLORIN_PREVIOUS_SECRET_KEYS: previous } =
    platformSettings.of(env);
  const known = new Set([current, ...previous].map(keyIdOf));
  const missing = keyIds.filter((id) => !known.has(id));
  if (missing.length === 0) return undefined;
  return `values of the backup are encrypted with keys that the server does not have (${missing.join(", ")}): set FLORIN_SECRET_KEY and FLORIN_PREVIOUS_SECRET_KEYS as florin backup keys prints them (at the edge with npx wrangler secret put), serve the deployment again, and restore then`;
}

async function beginNew(
  context: ServiceContext,
  { backup, moment, token, ...plan }: RestorationOrder,
): Promise<StoredRestoration> {
  const { env, clock } = context;
  const found = await whatIsInTheWay(env);
  if (found.length > 0) throw notEmpty(found);
  const { issuer, subject, clientId } = context.principal;
  const reference = newId();
  const row: StoredRestoration = {
    id: 1,
    reference,
    backup,
    moment,
    stage: "under-way",
    tokenHash: restorationTokenHash(token),
    beganAt: clock(),
    endedAt: null,
    writtenAt: null,
    plan: planText(plan),
    issuer,
    subject,
    clientId,
  };
  // Without a reference, which must not be null, the whole batch fails: somebody has made a ledger meanwhile.
  const onlyIfEmpty = sql`CASE WHEN ${HAS_NEVER_HAD_LEDGERS} THEN ${reference} END`;
  const change = new AuditedChange(context, {
    action: "deployment.restoration.begin",
    object: `restorations/${reference}`,
  });
  try {
    await change.store(
      databaseOf(env)
        .insert(restoration)
        .select(sql`SELECT ${columnValues(restoration, { ...row, reference: onlyIfEmpty })}`),
      ...disarmingStatements(context, { reason: "restored", note: `a backup of ${moment}` }),
    );
  } catch (cause) {
    if (!isRefused(cause)) throw cause;
    throw new AppError(
      "CONFLICT",
      "somebody else has changed the deployment at the same time; try again",
      { cause },
    );
  }
  return row;
}

/** Whether the batch failed because there is a restoration, or a ledger. */
const isRefused = (error: unknown): boolean =>
  /constraint failed: restoration\./.test(
    error instanceof Error ? `${error.message} ${String(error.cause)}` : "",
  );

const planText = ({
  migration,
  keyIds,
  tables,
  ledgers,
  missingLedgers,
  objects,
}: RestorationPlan): string =>
  stringifyJson({ migration, keyIds, tables, ledgers, missingLedgers, objects });

/**
 * Gives the restoration of the same backup another token. The audit of the backup is being written, so that the entry of the end names who has
 * gone on last.
 */
async function goOn(
  { env, principal: { issuer, subject, clientId } }: ServiceContext,
  known: StoredRestoration,
  { backup, token }: RestorationOrder,
): Promise<StoredRestoration> {
  if (known.stage !== "under-way") throw overError(known);
  if (known.backup !== backup) {
    throw new AppError(
      "CONFLICT",
      `another backup, of ${known.moment}, is being restored into this deployment`,
    );
  }
  const changed = await databaseOf(env)
    .update(restoration)
    .set({ tokenHash: restorationTokenHash(token), issuer, subject, clientId })
    .where(and(eq(restoration.reference, known.reference), eq(restoration.stage, "under-way")))
    .returning();
  const [row] = changed;
  if (row === undefined) {
    throw new AppError("CONFLICT", "the restoration was ended at the same time");
  }
  return row;
}

function notEmpty(found: readonly string[]): AppError {
  const more = found.length > NAMED_MAX ? ", …" : "";
  return new AppError(
    "CONFLICT",
    `a backup is restored into an empty deployment only, and this one has ${found.slice(0, NAMED_MAX).join(", ")}${more}: make a deployment anew, with an empty state folder or npm run deploy -- --destroy`,
  );
}
