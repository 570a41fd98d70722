import { type ExprValue, fromJson } from "#expr";
import { outboundGate } from "#platform/arming/held-work.ts";
import { present } from "#platform/assert.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import {
  callOutbound,
  OPEN_GATE,
  type OutboundResult,
  systemFetch,
} from "#platform/http/outbound.ts";
import { parseJson } from "#platform/json.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** A link could not be read. A later attempt may succeed. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

/** Longest time for one link, in milliseconds. */
const LINK_MS_MAX = 10_000;
/** Largest answer that is read, in bytes. */
const LINK_BYTES_MAX = 1_048_576;

export interface LinkReading {
  /** The principal in whose name the link is read. */
  readonly principal: Principal;
  /** Time that is left for the link, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Reads the resource that a link points to. A URL below the public URL of this deployment is read inside of the process, in the name of a
 * principal; any other URL is read under the policy for URLs that users give, without a token. Throws `LinkError`, and
 * `DISARMED` for a URL of another server while the deployment is disarmed.
 */
export async function readLink(
  { env, readOwnApi }: Pick<ServiceContext, "env" | "readOwnApi">,
  uri: string,
  { principal, timeoutMs = LINK_MS_MAX }: LinkReading,
): Promise<ExprValue> {
  const settings = platformSettings.of(env);
  const path = ownPathOf(uri, settings.FLORIN_PUBLIC_URL);
  if (path !== undefined && !mayRead(path, principal)) {
    throw new LinkError("reading resource: the creator of the trigger is bound to other ledgers");
  }
  const call = {
    method: "GET",
    url: path === undefined ? uri : INSIDE + path,
    headers: { accept: "application/json", "user-agent": "florin-triggers" },
    timeoutMs: Math.min(timeoutMs, LINK_MS_MAX),
    bodyBytesMax: LINK_BYTES_MAX,
  } as const;
  const ports =
    path === undefined
      ? {
          fetch: systemFetch(env),
          policy: { allowPrivateHosts: settings.FLORIN_ALLOW_PRIVATE_HOSTS },
          gate: outboundGate(env),
        }
      : {
          fetch: () => present(readOwnApi, "this work reads links")(path, principal),
          policy: { allowPrivateHosts: true },
          gate: OPEN_GATE,
        };
  return dataOfResult(await callOutbound(call, ports));
}

/** The base of relative links where the deployment does not know its URL. The request does not leave the process. */
const INSIDE = "http://localhost";

/** The path of a link to the own API, which may be relative, as in `/api/payments/v3/accounts/…`; undefined for other links. */
function ownPathOf(uri: string, publicUrl = INSIDE): string | undefined {
  const base = new URL(publicUrl).href.replace(/\/$/, "");
  const isRelative = uri.startsWith("/api/");
  if (!isRelative && publicUrl === INSIDE) return undefined;
  const absolute = isRelative ? base + uri : uri;
  if (!URL.canParse(absolute)) return undefined;
  const { href, hash } = new URL(absolute);
  if (!href.startsWith(`${base}/api/`)) return undefined;
  return href.slice(base.length, href.length - hash.length);
}

/**
 * Whether a principal may read a path. A principal that is bound to ledgers reads these ledgers, and payments, which belong to no ledger.
 */
function mayRead(path: string, { ledgers }: Principal): boolean {
  if (ledgers.length === 0) return true;
  const [, , module, ...rest] = path.split(/[/?]/);
  const name = rest[0] === "v2" ? rest[1] : rest[0];
  return module === "payments" || (module === "ledger" && ledgers.includes(name ?? ""));
}

function dataOfResult(result: OutboundResult): ExprValue {
  if (result.kind === "unreachable") throw new LinkError(`reading resource: ${result.error}`);
  if (result.bodyError !== undefined) throw new LinkError(`reading resource: ${result.bodyError}`);
  return dataOf(result.status, new TextDecoder().decode(result.body));
}

/** The resource of an answer: in all modules, the member `data`. A redirect is not followed, and is an error. */
function dataOf(status: number, text: string): ExprValue {
  if (status < 200 || status >= 300) {
    throw new LinkError(`unexpected status code when reading resource: ${status}`);
  }
  const body = tryParse(text);
  if (typeof body !== "object" || body === null || !("data" in body)) {
    throw new LinkError("reading resource: the answer is no JSON object with the member data");
  }
  return fromJson(body.data);
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
