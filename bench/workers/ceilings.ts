import { DurableObject, WorkflowEntrypoint } from "cloudflare:workers";

/**
 * A Worker that shows the ceilings of the platform on this machine, with the product's bindings and runtime: a request, a call of an object
 * and an insertion. No operation of Florin can be faster.
 */
export default {
  async fetch(request, env) {
    const [, , step = "", name = ""] = new URL(request.url).pathname.split("/");
    const body = request.method === "POST" ? await request.text() : "";
    switch (step) {
      case "call":
        return Response.json(await object(env, name).call(body));
      case "insert":
        return Response.json(await object(env, name).insert(body));
      default:
        return Response.json({});
    }
  },
  async queue() {}, // wrangler.toml makes this Worker a consumer.
} satisfies ExportedHandler<Env>;

/** Stands in for the ledger's object under the name that wrangler.toml binds. */
export class LedgerObject extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, body TEXT) STRICT",
    );
  }

  async call(body: string): Promise<{ length: number }> {
    return { length: body.length };
  }

  async insert(body: string): Promise<{ length: number }> {
    this.ctx.storage.sql.exec("INSERT INTO item (body) VALUES (?)", body);
    return { length: body.length };
  }
}

/** Stands in for a class that wrangler.toml binds, as do the classes that follow. */
export class AttemptLimitObject extends DurableObject<Env> {}
export class BackupObject extends DurableObject<Env> {}
export class ClientQuotaObject extends DurableObject<Env> {}
export class ClockObject extends DurableObject<Env> {}
export class ConnectorObject extends DurableObject<Env> {}
export class InstanceRunnerObject extends DurableObject<Env> {}
export class LedgerAuditObject extends DurableObject<Env> {}
export class EndpointObject extends DurableObject<Env> {}
export class EventStreamObject extends DurableObject<Env> {}
export class MatchingObject extends DurableObject<Env> {}
export class PasswordHashObject extends DurableObject<Env> {}
export class PipelineObject extends DurableObject<Env> {}
export class SearchShardObject extends DurableObject<Env> {}
export class StatementSourceObject extends DurableObject<Env> {}
export class TriggerLaneObject extends DurableObject<Env> {}
export class InstanceWorkflow extends WorkflowEntrypoint<Env> {}

const object = (env: Env, name: string): DurableObjectStub<LedgerObject> =>
  // The binding has the type of the product's class, which the class of this file replaces.
  env.LEDGERS.getByName(name) as unknown as DurableObjectStub<LedgerObject>;
