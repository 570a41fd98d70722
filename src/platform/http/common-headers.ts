/** Names the request in its answer and in what is logged of it. */
export const REQUEST_ID_HEADER = "x-request-id";
/** Headers that pages may read besides those that browsers show them anyway. */
export const EXPOSED_HEADERS = ["Count", "Idempotency-Hit", "X-Florin-Import-Notes"];
/** The origins that may read what the API answers; see `answerPreflight`. */
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

function jsonAnswer(common: CommonHeaders): Response {
  const headers = new Headers({ "content-type": "application/json" });
  addCommonHeaders(headers, common);
  return new Response(null, { headers });
}

const TO_ALL = jsonAnswer({ isSilent: false });
const SILENT = jsonAnswer({ isSilent: true });

/**
 * An empty answer in JSON with the common headers, to make the answer to a request of. All calls give the same object, so that this must
 * be done at once: the runtime copies an answer in a fraction of the time that it takes to set each header, or to change those of
 * a finished answer.
 */
export function commonJsonAnswer(requestId: string, { isSilent }: CommonHeaders): Response {
  const answer = isSilent ? SILENT : TO_ALL;
  answer.headers.set(REQUEST_ID_HEADER, requestId);
  return answer;
}
