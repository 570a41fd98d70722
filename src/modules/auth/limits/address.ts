import { isFromEdge } from "#platform/http/edge.ts";

/** The key of requests whose sender is not known, as on one's own machine: all of them count together. */
const UNKNOWN_ADDRESS = "unknown";

/**
 * Who sends a request, for limits of attempts. Only Cloudflare's edge says so; elsewhere the header is the client's, who could
 * name another address each time.
 */
export function addressOf(request: Request, env: Env): string {
  const address = request.headers.get("cf-connecting-ip");
  if (address === null || !isFromEdge(request, env)) return UNKNOWN_ADDRESS;
  return address.includes(":") ? networkOf(address) : address;
}

/** The first half of an IPv6 address: one household or machine has the whole network of 64 bits. */
function networkOf(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
