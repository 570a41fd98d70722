import { timingSafeEqual } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { assertTakingBackup, isTakingBackup } from "./restore-mode.ts";
import { restoration } from "./tables.ts";
import { RESTORATION_TOKEN, restorationTokenHash } from "./token-text.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import type { Clock } from "#platform/time.ts";

const BEARER = /^Bearer (\S+)$/;

/** A restoration as it is stored. */
export type StoredRestoration = typeof restoration.$inferSelect;

/** The restoration of the deployment; undefined if there has been none. */
export async function findRestoration(db: Database): Promise<StoredRestoration | undefined> {
  const [row] = await db.select().from(restoration).where(eq(restoration.id, 1));
  return row;
}

/** A request, and the restoration that it names. */
interface NamedRestoration {
  readonly request: Request;
  /** Absent for whichever the token belongs to. */
  readonly reference?: string;
  /** Whether the restoration may be over. */
  readonly mayBeOver?: boolean;
}

/**
 * The restoration that a request names and whose token it carries. `CONFLICT` is thrown in a deployment that is not served to take a backup,
 * `UNAUTHENTICATED` for a wrong token and where there is no restoration, `NOT_FOUND` for another one, and `CONFLICT` for one that is over,
 * unless it may be.
 */
export async function findRestoring(
  env: Pick<Env, "DB">,
  { request, reference, mayBeOver = false }: NamedRestoration,
): Promise<StoredRestoration> {
  assertTakingBackup(env);
  const token = tokenOf(request);
  const found = token === undefined ? undefined : await findRestoration(databaseOf(env));
  const isToken =
    token !== undefined &&
    found !== undefined &&
    timingSafeEqual(Buffer.from(restorationTokenHash(token)), Buffer.from(found.tokenHash));
  if (!isToken) throw noToken();
  if (reference !== undefined && found.reference !== reference) {
    throw new AppError("NOT_FOUND", `there is no restoration ${reference}`);
  }
  if (found.stage !== "under-way" && !mayBeOver) throw overError(found);
  return found;
}

/** The token that a request carries; undefined for none, and for a text that is no token of a restoration. */
function tokenOf(request: Request): string | undefined {
  const [, token = ""] = BEARER.exec(request.headers.get("authorization") ?? "") ?? [];
  return RESTORATION_TOKEN.test(token) ? token : undefined;
}

/** Refuses a request without a token of a restoration, or in a deployment that takes no backup, before its body is read. */
export function assertMayRestore(env: object, request: Request): void {
  assertTakingBackup(env);
  if (tokenOf(request) === undefined) throw noToken();
}

const noToken = (): AppError =>
  new AppError(
    "UNAUTHENTICATED",
    "the token of this restoration is missing, or another one: begin the restoration again with the same backup, as long as nothing is written",
  );

/** The refusal of a request for a restoration that has ended or was given up. */
export const overError = ({
  reference,
  stage,
}: Pick<StoredRestoration, "reference" | "stage">): AppError =>
  new AppError(
    "CONFLICT",
    stage === "ended"
      ? `the restoration ${reference} has ended: take FLORIN_RESTORE away, and serve the deployment again`
      : `the restoration ${reference} was given up: make the deployment anew, with an empty state folder or npm run deploy -- --destroy`,
  );

/**
 * Notes, before the first part is written, that the deployment is no longer as it was. Throws `CONFLICT` where the restoration was given up
 * meanwhile: then nothing must be written.
 */
export async function noteWritten(
  { env, clock }: { readonly env: Pick<Env, "DB">; readonly clock: Clock },
  { reference }: Pick<StoredRestoration, "reference">,
): Promise<void> {
  const noted = await databaseOf(env)
    .update(restoration)
    .set({ writtenAt: sql`coalesce(${restoration.writtenAt}, ${clock()})` })
    .where(and(eq(restoration.reference, reference), eq(restoration.stage, "under-way")))
    .returning({ id: restoration.id });
  if (noted.length > 0) return;
  throw new AppError("CONFLICT", `the restoration ${reference} was given up, or has ended`);
}

/**
 * Throws `OVERLOADED` for a request for an access token that is not served while the deployment takes a backup: clients get tokens to begin
 * the restoration, and nobody gets any from its first row on, because clients and keys are replaced.
 */
export async function assertTokensMeanwhile(
  env: Pick<Env, "DB">,
  grantType: string,
): Promise<void> {
  if (!isTakingBackup(env)) return;
  if (grantType !== "client_credentials") {
    throw new AppError(
      "OVERLOADED",
      "the deployment is served with FLORIN_RESTORE, to take a backup: only clients get tokens (client_credentials), to begin the restoration",
    );
  }
  const known = await findRestoration(databaseOf(env));
  if (known === undefined) return;
  if (known.stage !== "under-way") throw new AppError("OVERLOADED", overError(known).message);
  if (known.writtenAt === null) return;
  throw new AppError(
    "OVERLOADED",
    "a backup is being restored, and replaces clients and keys: go on with the run of florin backup restore that has begun it, with the same folder, --snapshot and client",
  );
}
