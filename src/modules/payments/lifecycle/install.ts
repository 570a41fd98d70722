import {
  assertCallable,
  type ConnectorConfig,
  parseConfig,
} from "#modules/payments/connectors/config.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import { CONNECTOR_KINDS, kindOf } from "#modules/payments/connectors/index.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { sealConfig } from "#modules/payments/installs/config.ts";
import { assertPlugin } from "#modules/payments/installs/plugin.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { connectorRow } from "#modules/payments/installs/rows.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { scheduleStatements } from "#modules/payments/schedules/schedule-rows.ts";
import { paymentSettings } from "#modules/payments/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { urlProblem } from "#platform/http/outbound.ts";
import { newId } from "#platform/ids.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** Limit on connectors of a deployment, checked before an installation. Simultaneous installations may exceed it. */
export const CONNECTORS_MAX = 1000;

/** Largest body of a request with a configuration, in bytes. The routes enforce it. */
export const CONFIG_BYTES_MAX = 500_000;

/** The kind of a connector and a client's configuration for it. */
export interface ConnectorInput {
  readonly provider: string;
  readonly body: unknown;
  /** The URL under which providers reach this server; absent if it is unknown. */
  readonly publicUrl?: string;
}

/**
 * Installs a connector and waits a moment for its object to begin; a sweep continues afterwards. A repetition throws
 * `ALREADY_EXISTS`. Throws `VALIDATION`, also for too many connectors and for webhooks without a public URL.
 */
export async function installConnector(
  context: ServiceContext,
  input: ConnectorInput,
): Promise<ConnectorId> {
  const { env, clock } = context;
  const { kind, config } = await checkConfig(context, input);
  const { publicUrl = null } = input;
  if (publicUrl === null && hasWebhooks(kind)) throw noPublicUrl();
  const id: ConnectorId = { provider: kind.key, reference: newId() };
  const db = databaseOf(env);
  if ((await db.$count(paymentConnectors)) >= CONNECTORS_MAX) {
    throw new AppError(
      "VALIDATION",
      `there are already ${CONNECTORS_MAX} connectors, and no more are allowed`,
    );
  }
  const reconciler = reconcilerOf(env);
  const now = clock();
  const sealed = sealConfig(env, id.reference, config.values);
  const inserted = await reconciler.change(() =>
    auditedInstall(context, id).store(
      db
        .insert(paymentConnectors)
        .values(connectorRow({ id, config, sealed, publicUrl, now }))
        .onConflictDoNothing()
        .returning({ key: paymentConnectors.key }),
      ...scheduleStatements(db, { reference: id.reference, kind, now }),
    ),
  );
  if (inserted.length === 0) throw nameTaken(config.name);
  await reconciler.settle({ ...requestLimits(), scope: withReference(id.reference) });
  return id;
}

const hasWebhooks = ({ capabilities }: ConnectorKind): boolean =>
  capabilities.includes("CREATE_WEBHOOKS");

const noPublicUrl = (): AppError =>
  new AppError(
    "VALIDATION",
    "FLORIN_PUBLIC_URL is not set. It takes the URL under which the provider of this connector reaches this server.",
  );

/**
 * Checks a configuration. A plugin with `checkAccess` also asks the provider whether it accepts the credentials. Throws
 * `VALIDATION`, also if the provider is unreachable or limits the rate, and `DISARMED` if it must not be asked. `reference` is that of an
 * installation whose configuration is to be replaced.
 */
export async function checkConfig(
  context: ServiceContext,
  {
    provider,
    body,
    reference,
  }: Pick<ConnectorInput, "provider" | "body"> & { readonly reference?: string },
): Promise<{ readonly kind: ConnectorKind; readonly config: ConnectorConfig }> {
  const kind = kindOf(provider);
  if (kind === undefined) {
    const known = CONNECTOR_KINDS.map(({ key }) => key).join(", ");
    const shown = provider.slice(0, PROVIDER_SHOWN_MAX).toWellFormed();
    throw new AppError(
      "VALIDATION",
      `there is no connector '${shown}': the connectors are ${known}`,
    );
  }
  const settings = paymentSettings.of(context.env);
  const config = parseConfig(kind.fields, body, {
    standardMs: settings.FLORIN_PAYMENTS_POLLING_PERIOD,
    leastMs: settings.FLORIN_PAYMENTS_POLLING_PERIOD_MIN,
  });
  const policy = {
    allowPrivateHosts: platformSettings.of(context.env).FLORIN_ALLOW_PRIVATE_HOSTS,
  };
  assertCallable(kind.fields, config.values, (url) => urlProblem(url, policy));
  await assertPlugin(context, { kind, config: config.values, ...given({ reference }) });
  return { kind, config };
}

const PROVIDER_SHOWN_MAX = 100;

export const nameTaken = (name: string): AppError =>
  new AppError("ALREADY_EXISTS", `object already exists: there is a connector '${name}'`);

const auditedInstall = (context: ServiceContext, { reference }: ConnectorId): AuditedChange =>
  new AuditedChange(context, {
    action: "payments.connector.install",
    object: `connectors/${reference}`,
  });
