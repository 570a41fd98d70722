/** Names the request in its answer and in what is logged of it. */
export const REQUEST_ID_HEADER = "x-request-id";
/** Headers that pages may read besides those that browsers show them anyway. */
export const EXPOSED_HEADERS = ["Count", "Idempotency-Hit"];
/** The origins that may read what the API answers; see `allowAnyOrigin`. */
export const ALLOWED_ORIGIN = "*";
/** What an answer of the API allows a browser that shows it: nothing. Pages have policies of their own. */
const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The headers of every answer but its own ones. Where `isSilent`, no other origin is allowed. */
interface CommonHeaders {
  readonly isSilent: boolean;
}

/** Adds to a finished answer what keeps a browser from making of it what it is not. A policy that it has already stays. */
export function addCommonHeaders(headers: Headers, { isSilent }: CommonHeaders): void {
  if (!isSilent) {
    headers.set("access-control-allow-origin", ALLOWED_ORIGIN);
    headers.set("access-control-expose-headers", EXPOSED_HEADERS.join(","));
  }
  headers.set("x-content-type-options", "nosniff");
  if (headers.has("content-security-policy")) return;
  headers.set("content-security-policy", POLICY);
  headers.set("referrer-policy", "no-referrer");
}

function jsonHeaders(common: CommonHeaders): Headers {
  const headers = new Headers({ "content-type": "application/json" });
  addCommonHeaders(headers, common);
  return headers;
}

const TO_ALL = jsonHeaders({ isSilent: false });
const SILENT = jsonHeaders({ isSilent: true });

/**
 * The common headers of an answer in JSON to a request. All calls give the same object, so that the answer must be made of it at once:
 * the runtime copies headers in a fraction of the time that it takes to set each, or to change those of a finished answer.
 */
export function commonJsonHeaders(requestId: string, { isSilent }: CommonHeaders): Headers {
  const headers = isSilent ? SILENT : TO_ALL;
  headers.set(REQUEST_ID_HEADER, requestId);
  return headers;
}
