import { and, eq, sql } from "drizzle-orm";
import { hashOf } from "./links.ts";
import { paymentLinkAttempts } from "./tables.ts";
import { isSameText } from "#modules/payments/connectors/kit/signatures.ts";
import type { EndedLink } from "#modules/payments/connectors/webhook-contract.ts";
import { type ConnectorId, decodeLinkState } from "#modules/payments/core/ids.ts";
import { isInstalled, requireInstalled } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { RedirectCallback } from "#modules/payments/jobs/job.ts";
import { planJob, withJobs } from "#modules/payments/jobs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Receives a redirect of a user's browser or of the provider, and stores the job that completes the attempt. Only the first
 * redirect of an attempt counts. Returns the URL to which the browser is sent. Throws `NOT_FOUND` for an unknown attempt or
 * a wrong random part of the state, and `VALIDATION` for a malformed state.
 */
export async function receiveRedirect(
  context: ServiceContext,
  {
    connectorId,
    callback,
  }: { readonly connectorId: ConnectorId; readonly callback: RedirectCallback },
): Promise<string> {
  const [text, ...others] = callback.query["state"] ?? [];
  const state = text === undefined || others.length > 0 ? undefined : decodeLinkState(text);
  if (state === undefined) throw new AppError("VALIDATION", "exactly one valid state is needed");
  const connector = await requireInstalled(context, connectorId);
  const [attempt] = await databaseOf(context.env)
    .select()
    .from(paymentLinkAttempts)
    .where(
      and(
        eq(paymentLinkAttempts.id, state.attemptID.toLowerCase()),
        eq(paymentLinkAttempts.connectorKey, connector.key),
      ),
    );
  if (attempt === undefined || !isSameText(attempt.stateHash, hashOf(state.randomized))) {
    throw new AppError("NOT_FOUND", "cannot get link attempt: not found");
  }
  const { id: attemptId } = attempt;
  await planJobOf(context, connector, { attemptId, callback });
  return toLocation(attempt.clientRedirectUrl);
}

/**
 * Stores the job that completes an attempt whose end the provider has reported. Does nothing for an attempt that is unknown
 * or has ended.
 */
export const planCompletion = (
  context: ServiceContext,
  connector: InstalledConnector,
  { attemptId, query }: EndedLink,
): Promise<void> =>
  planJobOf(context, connector, { attemptId, callback: { query, headers: {}, body: "" } });

async function planJobOf(
  context: ServiceContext,
  connector: InstalledConnector,
  { attemptId, callback }: { readonly attemptId: string; readonly callback: RedirectCallback },
): Promise<void> {
  const isPending = sql`EXISTS (
    SELECT 1 FROM ${paymentLinkAttempts} AS a
    WHERE a.id = ${attemptId} AND a.connector_key = ${connector.key} AND a.status = 'pending')
    AND ${isInstalled(connector)}`;
  const job = planJob(context, {
    name: `complete-link-${attemptId}`,
    job: { kind: "complete-link", attemptId, connector: connector.id, callback },
    connectorKey: connector.key,
    condition: isPending,
  });
  await withJobs(context, async () => job);
}

/** A URL in the form of a header: unchanged, unless it has characters that headers cannot have. */
const toLocation = (url: string): string => (HEADER_SAFE.test(url) ? url : new URL(url).href);

const HEADER_SAFE = /^[\x21-\x7e]*$/;
