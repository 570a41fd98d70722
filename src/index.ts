import { createApp } from "./app.ts";
import { consume } from "./jobs.ts";

export { ClockObject } from "./clock-object.ts";
export { LedgerAuditObject, LedgerObject, PipelineObject } from "#modules/ledger/index.ts";

const app = createApp();

export default { fetch: app.fetch, queue: consume } satisfies ExportedHandler<Env>;
