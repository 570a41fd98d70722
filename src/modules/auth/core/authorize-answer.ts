import type { AuthorizeRequest } from "./authorize-request.ts";

/** The parts of a request that decide where its answer goes. */
export type AnswerTarget = Pick<AuthorizeRequest, "redirectUri" | "responseMode" | "state">;

/** The parameters that the client gets, besides its state and our issuer. */
export type AuthorizeAnswer =
  | { readonly code: string }
  | { readonly error: string; readonly error_description: string };

/**
 * The URL with which the browser brings an answer to the client. The registered URI and its query stay as they are. Our issuer is
 * in it (RFC 9207), so that a client of several servers knows which one answers.
 */
export function answerUrl(
  { redirectUri, responseMode, state }: AnswerTarget,
  answer: AuthorizeAnswer,
  issuer: string,
): string {
  const params = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: issuer,
  });
  if (responseMode === "fragment") return `${redirectUri}#${params.toString()}`;
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${params.toString()}`;
}

/** Whether a code may be sent to a registered URI: an http(s) URL without a fragment and without credentials. */
export function isRedirectTarget(uri: string): boolean {
  // A header takes only these characters, and browsers encode others in several ways.
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  return /^https?:$/.test(protocol) && !uri.includes("#") && username === "" && password === "";
}
