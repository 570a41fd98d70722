import { SDK } from "@formance/formance-sdk";
import { HTTPClient } from "@formance/formance-sdk/lib/http.js";
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { recorded, recordTypedError } from "./sdk-calls.ts";
import { BASE_URL } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import type { Send } from "#test/support/runner/isolate.ts";

export interface SdkOptions {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A token to send in place of the SDK's own one. */
  readonly bearer?: string;
  /** Whether the SDK has no credentials to get a token. */
  readonly isAnonymous?: boolean;
  /** The URL that the SDK takes for the server's. */
  readonly serverUrl?: string;
  /** The function that answers in place of the Worker in this process. */
  readonly send?: Send;
}

/** The official SDK as the test client, which calls the Worker in this process and checks every answer strictly. */
export function sdk(options: SdkOptions = {}): SDK {
  const client = new SDK({
    serverURL: options.serverUrl ?? BASE_URL,
    ...(options.isAnonymous === true ? {} : { security: securityOf(options) }),
    httpClient: new HTTPClient({
      fetcher: (input, init) => {
        const request = withBearer(new Request(input, init), options);
        const { method, headers, body } = request;
        return (
          options.send?.(request.url, { method, headers, body }) ?? exports.default.fetch(request)
        );
      },
    }),
  });
  const { v1, v3 } = client.payments;
  Object.defineProperties(client.payments, {
    v1: { value: recorded(v1, "v1") },
    v3: { value: recorded(v3, "v3") },
  });
  return client;
}

const securityOf = ({ clientId, clientSecret }: SdkOptions) => ({
  clientID: clientId ?? TEST_SETTINGS.FLORIN_CLIENT_ID,
  clientSecret: clientSecret ?? TEST_SETTINGS.FLORIN_CLIENT_SECRET,
});

function withBearer(request: Request, { bearer }: SdkOptions): Request {
  if (bearer !== undefined && !request.url.endsWith("/oauth/token")) {
    request.headers.set("authorization", `Bearer ${bearer}`);
  }
  return request;
}

/** The names of the error types that the SDK declares for the modules. */
const DECLARED_ERRORS = /^(?:(?:Errors|ErrorsV2|V3|Payments)?ErrorResponse|V2Error|ErrorT)$/;

/** The error code with which a call of the SDK fails, if the error has a type that the SDK declares. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // The class is not compared: the SDK's modules exist twice here, in two formats.
  const { name } = (error ?? {}) as { name?: string }; // every error has a name
  expect(name).toMatch(DECLARED_ERRORS);
  const { errorCode, errorMessage } = error as { errorCode: string; errorMessage: string }; // errors of these names have a code
  expect(errorMessage).toContain(`[${errorCode}] `);
  recordTypedError(error as object); // the error is an object with these members
  return errorCode;
}

/**
 * The status and the code with which a call fails, for operations without a declared error type. They fail with the SDK's
 * general error, which contains the answer as a text.
 */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ statusCode: number; errorCode: unknown }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "SDKError" });
  const { statusCode, body } = error as { statusCode: number; body: string }; // the general error has these members
  return { statusCode, errorCode: (JSON.parse(body) as { errorCode?: unknown }).errorCode };
}
