import { tracing } from "cloudflare:workers";
import { currentCause } from "./cause.ts";

/**
 * Tells the platform's span of the present request by which ids Florin knows it. Does nothing for a request that the platform does not
 * sample, as `wrangler.toml` says.
 */
export function describeSpan(operation: string, client: string): void {
  const span = tracing.getActiveSpan();
  const cause = currentCause();
  if (cause === undefined || span?.isTraced !== true) return;
  span.setAttributes({
    "florin.request_id": cause.requestId,
    "florin.trace_id": cause.traceId,
    "florin.operation": operation,
    "florin.client": client,
  });
}
