import { platformSettings } from "#platform/platform-settings.ts";

/**
 * Whether Cloudflare's edge has sent a request, which then says in headers who the sender is and how the request is called.
 * Elsewhere these headers are the sender's. `cf` is looked at last, because the runtime makes it at its first use.
 */
export const isFromEdge = (request: Request, env: Env): boolean =>
  !platformSettings.of(env).FLORIN_LOCAL && edgeDataOf(request) !== undefined;

/** What the edge tells of a request. Where a header says so instead, it may be anything. */
function edgeDataOf(request: Request): unknown {
  try {
    return request.cf;
  } catch {
    return {}; // it is not JSON
  }
}

/** An address and a port, as the runtime writes them: `127.0.0.1:4711`, `[::1]:4711`. */
const PEER = /^(?:\[([^\]]+)\]|([^:]+)):\d+$/;

/**
 * The address of the other end of the Worker's own socket under `npm start`, of which the runtime tells nothing else. Undefined for a request
 * that came by another way: the runtime's ways for its tools tell more, or nothing.
 */
export function directPeerOf(request: Request): string | undefined {
  const data = edgeDataOf(request);
  if (typeof data !== "object" || data === null || !("clientIp" in data)) return undefined;
  const { clientIp } = data;
  if (typeof clientIp !== "string" || Object.keys(data).length > 1) return undefined;
  const [, ipv6, ipv4] = PEER.exec(clientIp) ?? [];
  return ipv6 ?? ipv4;
}
