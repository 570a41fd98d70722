import { builtInName } from "#modules/auth/core/built-in-clients.ts";
import { parseRate, STREAMS_MAX } from "#modules/auth/core/quota.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import {
  choice,
  isBaseUrl,
  list,
  optionalText,
  retention,
  SettingsError,
  type SettingsOf,
  DeclaredSettings,
} from "#platform/settings.ts";

/** Another issuer whose tokens are accepted. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** The audiences of which a token of the issuer must name one; if empty, every audience is accepted. */
  readonly audiences: readonly string[];
}

function parseTrustedIssuer(text: string): TrustedIssuer {
  const [issuer = "", ...audiences] = text.split(/\s+/);
  return { issuer, audiences };
}

const TRUSTED_ISSUERS = list(
  "comma separated http(s) URLs, each followed by its audiences, if any, separated by spaces",
  (item) => isBaseUrl(parseTrustedIssuer(item).issuer),
  {
    meaning:
      "Other issuers whose tokens this server accepts: URLs, separated by commas. Audiences may follow a URL, separated by spaces; a token of this issuer must then name one of them",
  },
);

/** The default quota of one kind: a rate, with the burst behind a slash. */
function rate(meaning: string) {
  const wanted = 'a number a second such as "50", or "50/200" with the burst, which is no smaller';
  const { schema, ...described } = optionalText(wanted, (value) => parseRate(value) !== undefined, {
    meaning,
  });
  return {
    ...described,
    schema: schema.transform((value) => (value === undefined ? undefined : parseRate(value))),
  };
}

const STREAMS = optionalText(
  `an integer from 1 to ${STREAMS_MAX}`,
  (value) => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= STREAMS_MAX,
  { meaning: "Streams that a client without a quota of its own may have open at once" },
);

export const authSettings = new DeclaredSettings(
  {
    FLORIN_AUTH: choice(["on", "off"], {
      standard: "on",
      meaning: "`off` answers every request as an administrator; refused outside local development",
    }),
    FLORIN_CLIENT_ID: optionalText("a non-empty text", (value) => value.length > 0, {
      meaning: "Id of the first client, which is trusted and has all scopes",
    }),
    FLORIN_CLIENT_SECRET: optionalText("at least 16 characters", (value) => value.length >= 16, {
      isSecret: true,
      meaning: "Secret of the first client",
    }),
    FLORIN_TRUSTED_ISSUERS: {
      ...TRUSTED_ISSUERS,
      schema: TRUSTED_ISSUERS.schema.transform((items) => items.map(parseTrustedIssuer)),
    },
    FLORIN_REFRESH_TOKEN_LIFETIME: retention({
      standard: "168h",
      meaning: "How long a refresh token may be used; each use gives a new one",
    }),
    FLORIN_LOGIN_ISSUER: optionalText("an http(s) URL", isBaseUrl, {
      meaning:
        "The OpenID provider at which people log in; without one, people log in at Florin's own page",
    }),
    FLORIN_LOGIN_CLIENT_ID: optionalText("a non-empty text", (value) => value.length > 0, {
      meaning: "The id of this server as a client of the login provider",
    }),
    FLORIN_LOGIN_CLIENT_SECRET: optionalText("a non-empty text", (value) => value.length > 0, {
      isSecret: true,
      meaning: "The secret of this server as a client of the login provider, if it has one",
    }),
    FLORIN_LOGIN_SCOPES: list("comma separated scopes", (value) => /^\S+$/.test(value), {
      meaning: "The scopes of people who log in at the login provider for the first time",
    }),
    FLORIN_DEVICE_LOGINS: choice(["on", "off"], {
      standard: "on",
      meaning:
        "`off` refuses the two command lines that are built in as clients, Florin's own (`florin-cli`) and Formance's (`fctl`), and ends their logins; clients of one's own are not concerned",
    }),
    FLORIN_SESSION_LIFETIME: retention({
      standard: "12h",
      meaning: "How long a person stays logged in in a browser",
    }),
    FLORIN_SIGNING_KEY_AGE: retention({
      standard: "2160h",
      meaning:
        "Age at which a new key replaces the one that signs; the old key verifies until its tokens have expired",
    }),
    FLORIN_QUOTA_REQUESTS: rate(
      "Requests a second of each client without a quota of its own; no limit by default",
    ),
    FLORIN_QUOTA_WRITES: rate(
      "Those requests a second that need another scope than one for reading",
    ),
    FLORIN_QUOTA_ELEMENTS: rate(
      "Elements of bulks, and entries of imported logs, a second of each client without a quota of its own",
    ),
    FLORIN_QUOTA_STREAMS: {
      ...STREAMS,
      schema: STREAMS.schema.transform((value) =>
        value === undefined ? undefined : Number(value),
      ),
    },
    FLORIN_AUDIT_RETENTION: retention({
      standard: "8760h",
      meaning: "How long the audit of changes is kept",
    }),
  },
  (settings, source) => {
    const { FLORIN_CLIENT_ID: id, FLORIN_CLIENT_SECRET: secret } = settings;
    if ((id === undefined) !== (secret === undefined)) {
      throw new SettingsError(
        "FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET belong together. Set both or none.",
      );
    }
    const builtIn = id === undefined ? undefined : builtInName(id);
    if (builtIn !== undefined) {
      throw new SettingsError(
        `FLORIN_CLIENT_ID is "${id}", which is the id of a client that is built in, ${builtIn}. It takes another id.`,
      );
    }
    const { FLORIN_LOGIN_ISSUER: issuer, FLORIN_LOGIN_CLIENT_ID: clientId } = settings;
    if ((issuer === undefined) !== (clientId === undefined)) {
      throw new SettingsError(
        "FLORIN_LOGIN_ISSUER and FLORIN_LOGIN_CLIENT_ID belong together. Set both or none.",
      );
    }
    if (settings.FLORIN_AUTH === "off" && !platformSettings.parse(source).FLORIN_LOCAL) {
      throw new SettingsError(
        'FLORIN_AUTH is "off". A deployment takes "on" only; "off" is for `npm start` on your own machine.',
      );
    }
  },
);

export type AuthSettings = SettingsOf<typeof authSettings>;
