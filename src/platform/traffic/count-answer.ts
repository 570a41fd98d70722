import type { Context } from "hono";
import { Analytics } from "./analytics.ts";
import { type AnsweredRequest, NO_MODULE } from "./answered-request.ts";
import { rejectionOf } from "./counts.ts";
import { Traffic } from "./traffic.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { AppEnv, RecordedOperation } from "#platform/http/context.ts";
import { isInternal } from "#platform/http/internal-calls.ts";
import { memoByEnv } from "#platform/memo.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The module of an operation. */
type ModuleOf = (operation: RecordedOperation) => string;

interface Counters {
  /** The counts of the isolate; undefined on Cloudflare. */
  readonly traffic: Traffic | undefined;
  readonly analytics: Analytics | undefined;
}

const countersOf = memoByEnv((env: object): Counters => ({
  traffic: platformSettings.of(env).FLORIN_LOCAL ? new Traffic() : undefined,
  analytics: Analytics.from(env),
}));

/** The counts of the isolate; undefined on Cloudflare. */
export const trafficOf = (env: object): Traffic | undefined => countersOf(env).traffic;

/** Facts of an answer that the request does not know. */
interface Answer {
  readonly status: number;
  readonly durationMs: number;
  readonly moduleOf: ModuleOf;
}

/** Counts an answered request, where the deployment counts. A request from inside belongs to one that is counted. */
export function countAnswer(c: Context<AppEnv>, { status, durationMs, moduleOf }: Answer): void {
  const { traffic, analytics } = countersOf(c.env);
  if (traffic === undefined && analytics === undefined) return;
  if (isInternal(c.req.raw)) return;
  const { operation, failure } = c.get("request");
  const context = c.get("context") as ServiceContext | undefined; // A request that was refused has none.
  const answered: AnsweredRequest = {
    module: operation === undefined ? NO_MODULE : moduleOf(operation),
    operation: operation?.operationId ?? "",
    ledger: operation === undefined || context === undefined ? undefined : c.req.param("ledger"),
    client: (context?.principal ?? failure?.principal)?.clientId ?? "",
    status,
    rejection: rejectionOf(status, failure?.refusedBy),
    durationMs,
  };
  traffic?.count(answered);
  analytics?.write(answered);
}
