import { platformSettings } from "#platform/platform-settings.ts";

/**
 * Whether a request came through Cloudflare's edge, whose headers name the sender and the request. Headers of other requests are claims of
 * their sender. `cf` is read last, because the runtime makes it at its first use.
 */
export const isFromEdge = (request: Request, env: Env): boolean =>
  !platformSettings.of(env).FLORIN_LOCAL && edgeDataOf(request) !== undefined;

/** The runtime's data about a request, `Request.cf`. A runtime that takes the data from a header gives any value that the header has. */
function edgeDataOf(request: Request): unknown {
  try {
    return request.cf;
  } catch {
    return {}; // `cf` is not valid JSON.
  }
}

/** An address and a port, as the runtime writes them: `127.0.0.1:4711`, `[::1]:4711`. */
const PEER = /^(?:\[([^\]]+)\]|([^:]+)):\d+$/;

/**
 * The address of the other end of the Worker's own socket under `npm start`, for which `cf` has the member `clientIp` only. Undefined for a
 * request that came another way: the runtime's sockets for its tools give `cf` other members, or none.
 */
export function directPeerOf(request: Request): string | undefined {
  const data = edgeDataOf(request);
  if (typeof data !== "object" || data === null || !("clientIp" in data)) return undefined;
  const { clientIp } = data;
  if (typeof clientIp !== "string" || Object.keys(data).length > 1) return undefined;
  const [, ipv6, ipv4] = PEER.exec(clientIp) ?? [];
  return ipv6 ?? ipv4;
}
