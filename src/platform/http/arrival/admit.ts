import { AppError } from "#platform/errors.ts";
import type { RequestFacts } from "#platform/http/context.ts";
import { isInternal } from "#platform/http/internal-calls.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";
import { assertSameOrigin } from "#platform/http/same-origin.ts";
import { directPeerOf } from "#platform/http/sender/edge.ts";
import { memoByEnv } from "#platform/memo.ts";

/** Throws for a request that must not reach any handler. */
export function admit(raw: Request, { url, deployment }: RequestFacts, env: Env): void {
  if (deployment.settings.FLORIN_DIRECT && !isInternal(raw)) assertDirect(raw);
  assertHost(raw, url, env);
  if (deployment.isOpenToAll) {
    assertLocal(url);
    assertSameOrigin(raw);
  }
  if (url.includes("%")) assertEncoding(url);
}

function assertEncoding(url: string): void {
  // No stored text contains U+0000, and SQLite ends texts at this character.
  if (url.includes("%00")) throw new AppError("VALIDATION", "the URL contains U+0000");
  if (!BROKEN_ENCODING.test(url)) return;
  throw new AppError("VALIDATION", "the URL has a broken percent encoding");
}

const BROKEN_ENCODING = /%(?![0-9a-fA-F]{2})/;

/**
 * Throws for a request that did not come through the Worker's own socket under `npm start`, for which the runtime names the peer. The
 * runtime's sockets for its tools accept headers that claim another URL and another sender.
 */
function assertDirect(request: Request): void {
  if (directPeerOf(request) === undefined)
    throw new AppError("VALIDATION", "this way into the server is closed");
}

/** A cache of the last request's origin, with a slash at the end. Most requests have the same origin. */
const lastOriginOf = memoByEnv(() => ({ origin: "?" }));

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Throws if the header `Host`, which becomes a part of the URL, is no host. */
function assertHost(request: Request, url: string, env: Env): void {
  const last = lastOriginOf(env);
  if (url.startsWith(last.origin)) return;
  const host = request.headers.get("host") ?? "localhost";
  if (!HOST.test(host) || !URL.canParse(url)) {
    throw new AppError("VALIDATION", "the header Host is not the name of a host");
  }
  last.origin = `${new URL(url).origin}/`;
}

/**
 * Throws for a host that is not loopback. With authentication off, everybody who reaches the server is its administrator, and a page
 * elsewhere must not reach the server by a name that it controls (DNS rebinding).
 */
function assertLocal(url: string): void {
  if (isLoopbackHost(new URL(url).hostname)) return;
  throw new AppError("UNAUTHENTICATED", "FLORIN_AUTH=off serves loopback hosts only");
}
