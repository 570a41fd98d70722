import { sql } from "drizzle-orm";
import {
  withProviderErrors,
  findForwarded,
  openUsers,
  sealToken,
  toPaymentUser,
} from "./provider-user.ts";
import { getUser, getUserKey } from "./store.ts";
import { paymentForwardedUsers, paymentUsers } from "./tables.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { isInstalled, requireInstalled } from "#modules/payments/installs/installed.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Creates a user at a connector's provider. Throws `NOT_FOUND`, and `VALIDATION` if the provider has the user already or
 * refuses it.
 */
export async function forwardUser(
  context: ServiceContext,
  { userId, connectorId }: { readonly userId: string; readonly connectorId: ConnectorId },
): Promise<void> {
  const connector = await requireInstalled(context, connectorId);
  const user = await getUser(context, userId);
  if ((await findForwarded(context, { userKey: user.key, connector })) !== undefined) {
    throw alreadyForwarded();
  }
  const { env, clock } = context;
  const { providerUserId, accessToken, metadata } = await withProviderErrors(async () => {
    const users = await openUsers(context, connector);
    return users.createUser(toPaymentUser(user));
  });
  const change = new AuditedChange(context, {
    action: "payments.payment-service-user.forward",
    object: `payment-service-users/${userId}/connectors/${connectorId.reference}`,
  });
  // The user may be deleted, and the connector uninstalled, while the provider is called.
  const inserted = await change.store(
    databaseOf(env)
      .insert(paymentForwardedUsers)
      .select(
        sql`
          SELECT u.key, ${connector.key}, ${providerUserId ?? null}, ${sealToken(env, accessToken)},
            ${stringifyJson(metadata)}, ${clock()}
          FROM ${paymentUsers} AS u WHERE u.id = ${userId} AND ${isInstalled(connector)}`,
      )
      .onConflictDoNothing()
      .returning({ userKey: paymentForwardedUsers.userKey }),
  );
  if (inserted.length > 0) return;
  await requireInstalled(context, connectorId);
  await getUserKey(context, userId);
  throw alreadyForwarded();
}

const alreadyForwarded = (): AppError =>
  new AppError("VALIDATION", "user already exists on this connector");
