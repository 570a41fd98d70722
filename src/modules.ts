import { authModule } from "#modules/auth/index.ts";
import { deploymentModule } from "#modules/deployment/index.ts";
import { eventsModule } from "#modules/events/index.ts";
import { exportersModule } from "#modules/exporters/index.ts";
import { ledgerModule } from "#modules/ledger/index.ts";
import { orchestrationModule } from "#modules/orchestration/index.ts";
import { paymentsModule } from "#modules/payments/index.ts";
import { reconciliationModule } from "#modules/reconciliation/index.ts";
import { searchModule } from "#modules/search/index.ts";
import { walletsModule } from "#modules/wallets/index.ts";
import { webhooksModule } from "#modules/webhooks/index.ts";
import { declareEventScopes } from "#platform/access/event-scopes.ts";
import { declareScopes } from "#platform/access/known-scopes.ts";
import { eventName } from "#platform/events/envelope.ts";
import { declareEventTypes } from "#platform/events/known-event-types.ts";
import { eventScopesOf, type Module, scopesOf } from "#platform/modules/module.ts";

/**
 * The modules of the product. If a path fits operations of two modules, the earlier module serves it. The ledger takes all paths below its
 * prefix, so that exporters, whose paths are below this prefix, come first.
 */
export const MODULES: readonly Module[] = [
  exportersModule,
  ledgerModule,
  webhooksModule,
  authModule,
  eventsModule,
  paymentsModule,
  walletsModule,
  orchestrationModule,
  reconciliationModule,
  searchModule,
  deploymentModule,
];

declareScopes(Object.keys(scopesOf(MODULES)));
declareEventScopes(eventScopesOf(MODULES));
declareEventTypes(
  MODULES.flatMap(({ name: app, eventTypes = {} }) =>
    Object.keys(eventTypes).map((type) => eventName({ app, type })),
  ),
);
