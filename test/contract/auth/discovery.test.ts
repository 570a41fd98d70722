import { expect, test } from "vitest";
import { ISSUER } from "#test/support/auth/logins.ts";
import { send } from "#test/support/platform/api.ts";

test("the discovery document names what works and nothing else", async () => {
  const response = await send("/api/auth/.well-known/openid-configuration");
  expect(await response.json()).toEqual({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    end_session_endpoint: `${ISSUER}/end_session`,
    token_endpoint: `${ISSUER}/oauth/token`,
    jwks_uri: `${ISSUER}/keys`,
    scopes_supported: [
      "openid",
      "profile",
      "email",
      "phone",
      "address",
      "offline_access",
      ...["ledger", "webhooks", "auth", "payments", "wallets", "orchestration"].flatMap((name) => [
        `${name}:read`,
        `${name}:write`,
      ]),
    ],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment"],
    code_challenge_methods_supported: ["S256"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: ["en"],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  });
});
