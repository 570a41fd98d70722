import { app } from "./app.ts";
import { consume } from "./jobs.ts";

export { BackupObject } from "./backup-object.ts";
export { ClockObject } from "./clock-object.ts";
export { AttemptLimitObject, ClientQuotaObject, PasswordHashObject } from "#modules/auth/index.ts";
export { EventStreamObject } from "#modules/events/index.ts";
export { PipelineObject } from "#modules/exporters/index.ts";
export { LedgerAuditObject, LedgerObject } from "#modules/ledger/index.ts";
export {
  InstanceRunnerObject,
  InstanceWorkflow,
  TriggerLaneObject,
} from "#modules/orchestration/index.ts";
export { ConnectorObject } from "#modules/payments/index.ts";
export { MatchingObject, StatementSourceObject } from "#modules/reconciliation/index.ts";
export { SearchShardObject } from "#modules/search/index.ts";
export { EndpointObject } from "#modules/webhooks/index.ts";

export default { fetch: app.fetch, queue: consume } satisfies ExportedHandler<Env>;
