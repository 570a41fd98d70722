import { sql } from "drizzle-orm";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import type { Quota } from "#modules/auth/core/quota.ts";
import { assertFull, permit, retryOnConflict, type Target } from "#modules/auth/permits/permit.ts";
import { clientQuotasOf, quotaObject, standardQuota } from "#modules/auth/quotas/client-quotas.ts";
import type { QuotaUsage } from "#modules/auth/quotas/quota-object.ts";
import { findQuota } from "#modules/auth/quotas/store.ts";
import { authClientQuotas } from "#modules/auth/quotas/tables.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** The quota that a client has, whose it is, and what is left of it. */
export interface ClientQuota {
  readonly clientId: string;
  /** `own` for one of its own, `default` for that of the settings, `none` where neither is there. */
  readonly source: "own" | "default" | "none";
  readonly quota: Quota;
  readonly usage: QuotaUsage;
}

const TO_QUOTA: ObjectCall = { object: "quota of the client", isRepeatable: true, timeoutMs: 5000 };

/** Reads the quota of a client. Throws `NOT_FOUND` for the client. */
export async function readClientQuota(context: ServiceContext, id: string): Promise<ClientQuota> {
  const [, own] = await Promise.all([targetOf(context, id), findQuota(context.env, id)]);
  return withUsage(context, id, own);
}

/**
 * Gives a client a quota of its own, which takes the place of the default; an empty one limits nothing. Only an administrator may
 * (`permits/permit.ts`), and no client may change its own. Throws `NOT_FOUND`, `VALIDATION`, `UNAUTHENTICATED` and `CONFLICT`.
 */
export async function setClientQuota(
  context: ServiceContext,
  id: string,
  quota: Quota,
): Promise<ClientQuota> {
  const text = stringifyJson(quota);
  await change(context, id, (audited, condition) =>
    audited("client.quota.update").store(
      databaseOf(context.env)
        .insert(authClientQuotas)
        .select(sql`SELECT ${id}, ${text} WHERE ${condition}`)
        .onConflictDoUpdate({ target: authClientQuotas.clientId, set: { quota: text } })
        .returning({ id: authClientQuotas.clientId }),
    ),
  );
  return withUsage(context, id, quota);
}

/** Takes a client's own quota away, so that the default counts again. Throws as `setClientQuota` does. */
export async function removeClientQuota(context: ServiceContext, id: string): Promise<void> {
  if ((await findQuota(context.env, id)) === undefined) {
    await targetOf(context, id);
    return;
  }
  await change(context, id, async (audited, condition) => {
    const deleted = await audited("client.quota.delete").store(
      databaseOf(context.env)
        .delete(authClientQuotas)
        .where(sql`${authClientQuotas.clientId} = ${id} AND ${condition}`)
        .returning({ id: authClientQuotas.clientId }),
    );
    // Another request may have deleted it meanwhile.
    return deleted.length > 0 || (await findQuota(context.env, id)) !== undefined ? deleted : [id];
  });
}

async function change(
  context: ServiceContext,
  id: string,
  store: (
    audited: (action: string) => AuditedChange,
    condition: Awaited<ReturnType<typeof permit>>["holds"],
  ) => Promise<readonly unknown[]>,
): Promise<void> {
  await retryOnConflict(async () => {
    const target = await targetOf(context, id);
    await assertFull(context, "a quota holds for whoever can make clients, too");
    const { actor, holds } = await permit(context, target);
    const { subject, clientId } = context.principal;
    if (!actor.isRoot && subject === id && clientId === id) {
      throw new AppError("VALIDATION", "a client cannot change its own quota");
    }
    const audited = (action: string) =>
      new AuditedChange(context, { action: `auth.${action}`, object: `clients/${id}` });
    return (await store(audited, holds)).length > 0 ? true : undefined;
  });
  clientQuotasOf(context.env).list.forget();
}

/**
 * The client as the target of a change, which takes an administrator: otherwise a client with `auth:write` could make another one, and have it
 * lift its own quota. Throws `NOT_FOUND` for the client.
 */
async function targetOf({ env }: ServiceContext, id: string): Promise<Target> {
  const isThere =
    id === authSettings.of(env).FLORIN_CLIENT_ID || (await findClient(env, id)) !== undefined;
  if (!isThere) throw new AppError("NOT_FOUND", `there is no client '${id}'`);
  return { kind: "client", id, now: FULL_AUTHORITY };
}

async function withUsage(
  { env }: ServiceContext,
  clientId: string,
  own: Quota | undefined,
): Promise<ClientQuota> {
  const standard = standardQuota(env);
  const quota = own ?? standard ?? {};
  const usage = await reachObject(quotaObject(env, clientId).usage(quota), TO_QUOTA);
  const source = own !== undefined ? "own" : standard === undefined ? "none" : "default";
  return { clientId, source, quota, usage };
}
