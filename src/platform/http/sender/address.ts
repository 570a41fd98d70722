import { directPeerOf, isFromEdge } from "./edge.ts";
import { clientAddressOf, senderOf } from "#platform/admission/addresses.ts";
import { admissionSettings } from "#platform/admission/admission-settings.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The key of all requests from unknown senders, which count as one sender. */
const UNKNOWN_ADDRESS = "unknown";

/**
 * The sender of a request, for limits: an IPv4 address, or the network of an IPv6 address. On Cloudflare, the edge names the address. Under
 * `npm start`, the address is that of the socket's other end, or the one that a trusted proxy (`FLORIN_TRUSTED_PROXIES`) names. Other
 * claims of clients are ignored.
 */
export function addressOf(request: Request, env: Env): string {
  const address = platformSettings.of(env).FLORIN_DIRECT
    ? localSender(request, env)
    : edgeSender(request, env);
  return (address === undefined ? undefined : senderOf(address)) ?? UNKNOWN_ADDRESS;
}

function edgeSender(request: Request, env: Env): string | undefined {
  const address = request.headers.get("cf-connecting-ip");
  return address === null || !isFromEdge(request, env) ? undefined : address;
}

function localSender(request: Request, env: Env): string | undefined {
  const peer = directPeerOf(request);
  if (peer === undefined) return undefined;
  const trusted = admissionSettings.of(env).FLORIN_TRUSTED_PROXIES;
  const forwardedFor = trusted.length === 0 ? null : request.headers.get("x-forwarded-for");
  return clientAddressOf(peer, { forwardedFor, trusted });
}
