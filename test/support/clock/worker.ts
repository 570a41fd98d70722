import { clocked, stepClock } from "./worker-clock.ts";
import worker, * as product from "#src/index.ts";

/** The product, with a clock that a request to `STEP_PATH` steps by the milliseconds in its body. */
export default {
  ...worker,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== STEP_PATH) return worker.fetch(request, env, ctx);
    stepClock(Number(await request.text()));
    return new Response(`${Date.now()}`);
  },
} satisfies ExportedHandler<Env>;

const STEP_PATH = "/api/test/step-clock";

/** Its waits are the platform's own. */
export { InstanceWorkflow } from "#src/index.ts";

export const AttemptLimitObject = clocked(product.AttemptLimitObject);
export const BackupObject = clocked(product.BackupObject);
export const ClientQuotaObject = clocked(product.ClientQuotaObject);
export const ClockObject = clocked(product.ClockObject);
export const ConnectorObject = clocked(product.ConnectorObject);
export const EndpointObject = clocked(product.EndpointObject);
export const EventStreamObject = clocked(product.EventStreamObject);
export const InstanceRunnerObject = clocked(product.InstanceRunnerObject);
export const LedgerAuditObject = clocked(product.LedgerAuditObject);
export const LedgerObject = clocked(product.LedgerObject);
export const MatchingObject = clocked(product.MatchingObject);
export const PasswordHashObject = clocked(product.PasswordHashObject);
export const PipelineObject = clocked(product.PipelineObject);
export const SearchShardObject = clocked(product.SearchShardObject);
export const StatementSourceObject = clocked(product.StatementSourceObject);
export const TriggerLaneObject = clocked(product.TriggerLaneObject);
