import { SDK } from "@formance/formance-sdk";
import { HTTPClient } from "@formance/formance-sdk/lib/http.js";
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { BASE_URL } from "./api.ts";
import { TEST_SETTINGS } from "./settings.ts";

export interface SdkOptions {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The token to send in place of the one that the SDK gets itself. */
  readonly bearer?: string;
}

/** The official SDK, which checks every answer strictly, calling the Worker in this process as the test client. */
export function sdk(options: SdkOptions = {}): SDK {
  return new SDK({
    serverURL: BASE_URL,
    security: {
      clientID: options.clientId ?? TEST_SETTINGS.FLORIN_CLIENT_ID,
      clientSecret: options.clientSecret ?? TEST_SETTINGS.FLORIN_CLIENT_SECRET,
    },
    httpClient: new HTTPClient({
      fetcher: (input, init) =>
        exports.default.fetch(withBearer(new Request(input, init), options)),
    }),
  });
}

function withBearer(request: Request, { bearer }: SdkOptions): Request {
  if (bearer !== undefined && !request.url.endsWith("/oauth/token")) {
    request.headers.set("authorization", `Bearer ${bearer}`);
  }
  return request;
}

/** The SDK declares a type for the errors of each module. */
const DECLARED_ERRORS = /^(?:(?:ErrorsV2|V3|Payments)?ErrorResponse|V2Error|ErrorT)$/;

/** The code of the error that a call of the SDK ends with, if it has the type that the SDK declares. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // The class is not compared: the SDK's modules exist twice here, in two formats.
  const { name } = (error ?? {}) as { name?: string }; // all errors have one
  expect(name).toMatch(DECLARED_ERRORS);
  const { errorCode, errorMessage } = error as { errorCode: string; errorMessage: string }; // by its name
  expect(errorMessage).toContain(`[${errorCode}] `);
  return errorCode;
}
