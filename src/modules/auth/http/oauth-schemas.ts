import { z } from "@hono/zod-openapi";
import { OAUTH_ERRORS } from "#modules/auth/core/oauth-error.ts";

/** Longest value of a parameter of the token endpoint, in UTF-16 units. It limits the length of what tokens contain. */
const FORM_VALUE_LENGTH_MAX = 4096;
const FormText = z.string({ error: "given more than once" }).max(FORM_VALUE_LENGTH_MAX).optional();

/** Credentials of a client that does not use the `Authorization` header. */
const ClientForm = z.object({ client_id: FormText, client_secret: FormText });

export const TokenForm = z
  .object({
    grant_type: FormText.openapi({ example: "client_credentials" }),
    scope: FormText.openapi({
      description:
        "Scopes, separated by spaces. With `client_credentials`, a request that names none gets all scopes of the client.",
    }),
    ...ClientForm.shape,
    code: FormText,
    redirect_uri: FormText.openapi({
      description: "The same as in the request to the authorization endpoint.",
    }),
    code_verifier: FormText,
    refresh_token: FormText,
    assertion: z.string({ error: "given more than once" }).optional().openapi({
      description:
        "A token of a trusted issuer, or a stack token of this server, in exchange for a token of the API.",
    }),
    device_code: FormText,
    resource: FormText.openapi({
      description:
        "With `client_credentials` and device codes: the stack, for a token that the JWT bearer grant exchanges.",
      example: "stack://florin/main|stack:Read stack:Write",
    }),
  })
  .openapi("TokenRequest");

export const DeviceForm = z
  .object({
    ...ClientForm.shape,
    scope: FormText.openapi({ description: "Scopes, separated by spaces." }),
    organization_id: FormText.openapi({
      description: "The organization, for a token that reads it. Only for `fctl`.",
    }),
    resource: FormText.openapi({
      description: "The stack, for a token that the JWT bearer grant exchanges. Only for `fctl`.",
    }),
    id_token_hint: z.string({ error: "given more than once" }).optional().openapi({
      description: "An ID token of the only person who may approve. It may have expired.",
    }),
  })
  .openapi("DeviceAuthorizationRequest");

export const DeviceResponse = z
  .object({
    device_code: z.string(),
    user_code: z.string().openapi({ description: "The code that the device shows." }),
    verification_uri: z.url(),
    verification_uri_complete: z.url(),
    expires_in: z.int(),
    interval: z.int().openapi({ description: "Seconds between two polls." }),
  })
  .openapi("DeviceAuthorization");

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    scope: z.string().optional().openapi({
      description: "The scopes that were granted, if they may differ from the requested ones.",
    }),
    refresh_token: z.string().optional().openapi({
      description: "Gets the next tokens, once. It comes with the scope `offline_access`.",
    }),
    id_token: z.string().optional().openapi({
      description: "Who has logged in. It comes with the scope `openid`.",
    }),
  })
  .openapi("TokenResponse");

export const OAuthErrorResponse = z
  .object({ error: z.enum(OAUTH_ERRORS), error_description: z.string().optional() })
  .openapi("OAuthError");

/** A request about a token. `token_type_hint` is ignored, because the token itself shows its kind. */
const AboutToken = z.object({
  token: z.string({ error: "expected a token, once" }).min(1).max(FORM_VALUE_LENGTH_MAX),
  token_type_hint: FormText,
});
export const IntrospectionForm = AboutToken.openapi("IntrospectionRequest");
export const RevocationForm = AboutToken.extend(ClientForm.shape).openapi("RevocationRequest");

export const IntrospectionResponse = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.literal("Bearer").optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    sub: z.string().optional(),
    aud: z.array(z.string()).optional(),
    iss: z.string().optional(),
    jti: z.string().optional(),
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
  })
  .openapi("Introspection");

export const UserInfoForm = z.object({ access_token: FormText }).openapi("UserInfoRequest");
export const UserInfoResponse = z
  .object({
    sub: z.string(),
    name: z.string().optional().openapi({ description: "With the scope `profile`, if known." }),
    email: z.string().optional().openapi({ description: "With the scope `email`." }),
    email_verified: z.boolean().optional(),
  })
  .openapi("UserInfo");

const Names = z.array(z.string());

export const DiscoveryResponse = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    end_session_endpoint: z.url(),
    token_endpoint: z.url(),
    device_authorization_endpoint: z.url(),
    introspection_endpoint: z.url(),
    userinfo_endpoint: z.url(),
    revocation_endpoint: z.url(),
    jwks_uri: z.url(),
    scopes_supported: Names,
    response_types_supported: Names,
    response_modes_supported: Names,
    grant_types_supported: Names,
    subject_types_supported: Names,
    id_token_signing_alg_values_supported: Names,
    token_endpoint_auth_methods_supported: Names,
    revocation_endpoint_auth_methods_supported: Names,
    introspection_endpoint_auth_methods_supported: Names,
    claims_supported: Names,
    code_challenge_methods_supported: Names,
    prompt_values_supported: Names,
    authorization_response_iss_parameter_supported: z.boolean(),
    ui_locales_supported: Names,
    request_parameter_supported: z.boolean(),
    request_uri_parameter_supported: z.boolean(),
  })
  .openapi("Discovery");

/** The document of the membership service, which has no authorization endpoint. */
export const MembershipDiscoveryResponse = DiscoveryResponse.pick({
  issuer: true,
  token_endpoint: true,
  device_authorization_endpoint: true,
  userinfo_endpoint: true,
  revocation_endpoint: true,
  jwks_uri: true,
  scopes_supported: true,
  response_types_supported: true,
  grant_types_supported: true,
  subject_types_supported: true,
  id_token_signing_alg_values_supported: true,
  token_endpoint_auth_methods_supported: true,
  revocation_endpoint_auth_methods_supported: true,
  claims_supported: true,
}).openapi("MembershipDiscovery");

export const KeysResponse = z
  .object({
    keys: z.array(
      z.object({
        use: z.literal("sig"),
        kty: z.literal("RSA"),
        kid: z.string(),
        alg: z.literal("RS256"),
        n: z.string(),
        e: z.string(),
      }),
    ),
  })
  .openapi("KeySet");
