/** The header for a request's id, which is also in its log lines. */
export const REQUEST_ID_HEADER = "x-request-id";
/** Headers that pages may read besides those that CORS exposes by default. */
export const EXPOSED_HEADERS = [
  "Count",
  "Idempotency-Hit",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Florin-Import-Notes",
];
/** The origins that may read answers of the API; see `answerPreflight`. */
export const ALLOWED_ORIGIN = "*";
/** The content security policy of API answers, which lets a browser load and frame nothing. Pages have policies of their own. */
const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Options for the headers that all answers share. With `isSilent`, no other origin may read the answer. */
interface CommonHeaders {
  readonly isSilent: boolean;
}

/**
 * Adds the common headers to those of a finished answer: CORS, and protections against a browser's misinterpretation. A content security
 * policy of the answer stays.
 */
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
 * An empty JSON answer with the common headers, as a template for the answer to a request. The caller must copy it at once, because all
 * calls share one object: the runtime copies a response in a fraction of the time that it takes to set each header, or to change the
 * headers of a finished response.
 */
export function commonJsonAnswer(requestId: string, { isSilent }: CommonHeaders): Response {
  const answer = isSilent ? SILENT : TO_ALL;
  answer.headers.set(REQUEST_ID_HEADER, requestId);
  return answer;
}
