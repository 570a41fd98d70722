import { platformSettings } from "#platform/platform-settings.ts";

/**
 * Whether Cloudflare's edge has sent a request, which then says in headers who the sender is and how the request is called.
 * Elsewhere these headers are the sender's. `cf` is looked at last, because the runtime makes it at its first use.
 */
export const isFromEdge = (request: Request, env: Env): boolean =>
  !platformSettings.of(env).FLORIN_LOCAL && hasEdgeData(request);

/** Whether a request has what the edge tells of it. The runtime also makes it of a header, which may be anything. */
export function hasEdgeData(request: Request): boolean {
  try {
    return request.cf !== undefined;
  } catch {
    return true; // it is not JSON
  }
}
