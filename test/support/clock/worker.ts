import { stepAlarms, stepClock } from "./stepped-clock.ts";
import worker, * as product from "#src/index.ts";

/** Florin's Worker, with a clock that a request to `STEP_PATH` steps by the milliseconds in its body. */
export default {
  ...worker,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== STEP_PATH) return worker.fetch(request, env, ctx);
    stepClock(Number(await request.text()));
    return new Response(`${Date.now()}`);
  },
} satisfies ExportedHandler<Env>;

/** The waits of a workflow are the platform's own, and are not stepped. */
export { InstanceWorkflow } from "#src/index.ts";

const STEP_PATH = "/api/test/step-clock";

export class AttemptLimitObject extends product.AttemptLimitObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class ClockObject extends product.ClockObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class ConnectorObject extends product.ConnectorObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class EndpointObject extends product.EndpointObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class EventStreamObject extends product.EventStreamObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class InstanceRunnerObject extends product.InstanceRunnerObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class LedgerAuditObject extends product.LedgerAuditObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class LedgerObject extends product.LedgerObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class PipelineObject extends product.PipelineObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}

export class TriggerLaneObject extends product.TriggerLaneObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(stepAlarms(ctx), env);
  }
}
