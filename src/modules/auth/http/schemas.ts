import { z } from "@hono/zod-openapi";
import {
  LEDGER_PATTERNS_MAX,
  LEDGERS_KEY,
  parseLedgerPatterns,
} from "#modules/auth/core/client-ledgers.ts";
import {
  CLIENT_ID_LENGTH_MAX,
  CLIENT_LIST_MAX,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  SCOPE_LENGTH_MAX,
  URI_LENGTH_MAX,
} from "#modules/auth/core/client.ts";
import { OAUTH_ERRORS } from "#modules/auth/core/oauth-error.ts";
import { dataOf, MetadataSchema } from "#platform/http/schemas.ts";

export const ClientParams = z.object({ clientId: z.string() });
export const SecretParams = ClientParams.extend({ secretId: z.string() });

/** Printable ASCII without a space, as RFC 6749 has it; an empty text asks for a new id. */
const ClientId = z
  .string()
  .max(CLIENT_ID_LENGTH_MAX)
  .regex(/^[\x21-\x7e]*$/, "expected ASCII characters without a space");
const Name = z.string().max(NAME_LENGTH_MAX);
const Uri = z.string().max(URI_LENGTH_MAX);
const Scope = z
  .string()
  .max(SCOPE_LENGTH_MAX)
  .regex(/^\S+$/, "expected one scope without spaces; list several one by one");

/** The scopes that somebody is given. */
export const Scopes = z.array(Scope).max(CLIENT_LIST_MAX);

const CLIENT_METADATA = `Its key \`${LEDGERS_KEY}\` binds the client to ledgers: names, or beginnings of names with a star, with commas between them (\`eu-*, main\`). The client's tokens then reach no other ledger.`;

/** A list of ledgers becomes a text, because the official clients know texts only. */
const ClientMetadata = z
  .preprocess(joinLedgers, MetadataSchema)
  .superRefine((metadata, context) => {
    // The schema of metadata may have refused it, so that its values may be anything.
    const text: unknown = metadata?.[LEDGERS_KEY];
    if (typeof text !== "string" || parseLedgerPatterns(text) !== undefined) return;
    const message = `expected 1 to ${LEDGER_PATTERNS_MAX} names of ledgers, or beginnings of names such as 'eu-*'; leave it out for a client that reaches all ledgers`;
    context.addIssue({ code: "custom", message, path: [LEDGERS_KEY] });
  })
  .openapi({
    type: "object",
    additionalProperties: { type: "string" },
    description: CLIENT_METADATA,
  });

function joinLedgers(given: unknown): unknown {
  if (typeof given !== "object" || given === null || !(LEDGERS_KEY in given)) return given;
  const { [LEDGERS_KEY]: ledgers } = given;
  const isList = Array.isArray(ledgers) && ledgers.every((item) => typeof item === "string");
  return isList ? { ...given, [LEDGERS_KEY]: ledgers.join(", ") } : given;
}

/** What a client may send of itself. Whatever is absent or null takes its empty value, also in a replacement. */
const ClientOptions = z.object({
  public: orElse(z.boolean(), false),
  redirectUris: orElse(z.array(Uri).max(CLIENT_LIST_MAX), []),
  description: orElse(z.string().max(DESCRIPTION_LENGTH_MAX), ""),
  name: orElse(Name, ""),
  postLogoutRedirectUris: orElse(z.array(Uri).max(CLIENT_LIST_MAX), []),
  metadata: orElse(ClientMetadata, {}),
  trusted: orElse(z.boolean(), false),
  scopes: orElse(Scopes, []),
});

export const CreateClientRequest = ClientOptions.extend({
  id: orElse(ClientId, ""),
}).openapi("CreateClientRequest");
export const UpdateClientRequest = ClientOptions.openapi("UpdateClientRequest");

export const CreateSecretRequest = z
  .object({ name: orElse(Name, ""), metadata: orElse(MetadataSchema, {}) })
  .openapi("CreateSecretRequest");

const ClientSecret = z
  .object({ id: z.string(), lastDigits: z.string(), name: z.string(), metadata: MetadataSchema })
  .openapi("ClientSecret");

const ClientView = z
  .object({
    public: z.boolean(),
    redirectUris: z.array(z.string()),
    description: z.string(),
    name: z.string(),
    postLogoutRedirectUris: z.array(z.string()),
    metadata: MetadataSchema,
    trusted: z.boolean(),
    scopes: z.array(z.string()),
    id: z.string(),
    secrets: z.array(ClientSecret),
  })
  .openapi("Client");

export const ClientResponse = dataOf(ClientView);
export const ClientsResponse = dataOf(z.array(ClientView));
export const SecretResponse = dataOf(
  z.object({
    id: z.string(),
    lastDigits: z.string(),
    name: z.string(),
    clear: z.string().openapi({ description: "The secret. It is not shown again." }),
  }),
);

/** Longest value of a parameter of the token endpoint, in UTF-16 units: it limits what a token can hold. */
const FORM_VALUE_LENGTH_MAX = 4096;
const FormText = z.string({ error: "given more than once" }).max(FORM_VALUE_LENGTH_MAX).optional();

export const TokenForm = z
  .object({
    grant_type: FormText.openapi({ example: "client_credentials" }),
    scope: FormText.openapi({
      description:
        "Scopes, separated by spaces. A request without scopes gets a token without scopes.",
    }),
    client_id: FormText,
    client_secret: FormText,
  })
  .openapi("TokenRequest");

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    scope: z.string().optional().openapi({
      description: "The scopes that were granted, if they differ from the requested ones.",
    }),
  })
  .openapi("TokenResponse");

export const OAuthErrorResponse = z
  .object({ error: z.enum(OAUTH_ERRORS), error_description: z.string().optional() })
  .openapi("OAuthError");

export const DiscoveryResponse = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    end_session_endpoint: z.url(),
    token_endpoint: z.url(),
    jwks_uri: z.url(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    prompt_values_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    request_parameter_supported: z.boolean(),
    request_uri_parameter_supported: z.boolean(),
    ui_locales_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
  })
  .openapi("Discovery");

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

export const InfoResponse = z
  .object({ version: z.string(), debug: z.boolean() })
  .openapi("AuthInfo");
export const HealthResponse = z.object({ Database: z.string() }).openapi("AuthHealth");

/** A field that may be absent or null. */
function orElse<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return schema.nullish().transform((given) => given ?? value);
}
