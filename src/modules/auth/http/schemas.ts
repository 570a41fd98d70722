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
import { DEVICE_LOGIN_KEY } from "#modules/auth/core/device-clients.ts";
import { LEDGER_PATTERN } from "#platform/access/ledger-patterns.ts";
import { MetadataSchema } from "#platform/http/index.ts";

export const ClientParams = z.object({ clientId: z.string() });
export const SecretParams = ClientParams.extend({ secretId: z.string() });

/** An id: printable ASCII (RFC 6749 appendix A.1), here without spaces. An empty text asks for a new id. */
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

/** The scopes that a client or a person gets. */
export const Scopes = z.array(Scope).max(CLIENT_LIST_MAX);

/** The only ledgers that a person's tokens reach. */
export const Ledgers = z.array(z.string().regex(LEDGER_PATTERN)).max(LEDGER_PATTERNS_MAX).openapi({
  description:
    "The only ledgers that the user's tokens reach: names, or beginnings of names with a star, such as `eu-*`. An empty list stands for all.",
});

const CLIENT_METADATA = `Its key \`${LEDGERS_KEY}\` binds the client to ledgers: names, or beginnings of names with a star, with commas between them (\`eu-*, main\`). The client's tokens then reach no other ledger. Its key \`${DEVICE_LOGIN_KEY}\`, \`true\` or \`false\`, says whether the client may begin logins of devices.`;

/** The metadata of a client. A list of ledgers is accepted and joined to a text, because the official clients can read only texts. */
const ClientMetadata = z
  .preprocess(joinLedgers, MetadataSchema)
  .superRefine((metadata, context) => {
    // The schema of metadata may have refused the input, so the value may be anything.
    const devices: unknown = metadata?.[DEVICE_LOGIN_KEY];
    if (devices !== undefined && devices !== "true" && devices !== "false") {
      const wrong = "expected 'true' or 'false'";
      context.addIssue({ code: "custom", message: wrong, path: [DEVICE_LOGIN_KEY] });
    }
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

/** The fields of a client. A field that is absent or null gets its empty value, also in a replacement. */
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

export const ClientResponse = z
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

export const SecretResponse = z.object({
  id: z.string(),
  lastDigits: z.string(),
  name: z.string(),
  clear: z.string().openapi({ description: "The secret. It is not shown again." }),
});

export const InfoResponse = z
  .object({ version: z.string(), debug: z.boolean() })
  .openapi("AuthInfo");
export const HealthResponse = z.object({ Database: z.string() }).openapi("AuthHealth");

/** A field that may be absent or null, with the value that it then has. */
function orElse<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return schema.nullish().transform((given) => given ?? value);
}
