import {
  boolean,
  choice,
  integer,
  isBaseUrl,
  list,
  optionalText,
  SettingsError,
  type SettingsOf,
  DeclaredSettings,
  text,
} from "./settings.ts";

const PAGE_SIZES = { least: 1, most: 1000 };

/** The settings that say what a deployment must not do. They have to be read also where the others may be absent: nothing is done before they are known. */
export const armingSettings = new DeclaredSettings({
  FLORIN_DISARMED: choice(["none", "operator", "restored"], {
    standard: "none",
    meaning:
      "Why the deployment calls no other server from its first moment on: `restored` for a copy of another deployment, `operator` for any other reason, `none` for one that `florin -- disarm` and `arm` decide about. Set it before a copied state folder or a restored database is served; see docs/operations/disarmed.md",
  }),
  FLORIN_RESTORE: boolean({
    standard: "false",
    meaning:
      "Serves the deployment only to take a backup by `florin -- backup restore`: everything else is refused or waits. Take it away when the backup is there, and serve the deployment again; see docs/operations/backup.md",
  }),
});

/** The settings of the platform itself, for all modules. */
export const platformSettings = new DeclaredSettings(
  {
    FLORIN_LOCAL: boolean({
      standard: "false",
      meaning:
        "Set by `npm start` and by tests only: allows settings and requests that are refused on the internet",
    }),
    FLORIN_DIRECT: boolean({
      standard: "false",
      meaning:
        "Set by `npm start` only: requests come by the Worker's own socket, and all others are refused",
    }),
    FLORIN_SECRET_KEY: text(
      "32 bytes in base64, as made by `openssl rand -base64 32`",
      (value) => decodedLength(value) === 32,
      { isSecret: true, meaning: "Encrypts secrets at rest" },
    ),
    FLORIN_PREVIOUS_SECRET_KEYS: list(
      "comma separated keys of 32 bytes in base64",
      (value) => decodedLength(value) === 32,
      {
        isSecret: true,
        meaning: "Earlier keys, which still decrypt the secrets that they have encrypted",
      },
    ),
    FLORIN_PUBLIC_URL: publicUrl(),
    ...armingSettings.settings,
    FLORIN_ALLOW_PRIVATE_HOSTS: boolean({
      standard: "false",
      meaning: "Lets outbound calls reach loopback and private addresses",
    }),
    FLORIN_JURISDICTION: choice(["none", "eu", "fedramp"], {
      standard: "none",
      meaning:
        "Set by `npm run deploy` from the environment file: the jurisdiction in which all objects lie. It never changes, because objects of another jurisdiction are other objects",
    }),
    FLORIN_LOG: choice(["failures", "requests"], {
      standard: "failures",
      meaning:
        "Requests that are logged in a line each: `failures` those that failed (status 500 and above) or took a second or more, `requests` also those that were refused (status 400 and above)",
    }),
    FLORIN_DEFAULT_PAGE_SIZE: integer(PAGE_SIZES, {
      standard: "15",
      meaning: "Size of a page if the request names none",
    }),
    FLORIN_MAX_PAGE_SIZE: integer(PAGE_SIZES, {
      standard: "1000",
      meaning: "Largest size of a page; a request for more gets a page of this size",
    }),
  },
  ({
    FLORIN_DEFAULT_PAGE_SIZE: standard,
    FLORIN_MAX_PAGE_SIZE: most,
    FLORIN_JURISDICTION: jurisdiction,
    FLORIN_LOCAL: isLocal,
  }) => {
    if (isLocal && jurisdiction !== "none") {
      throw new SettingsError(
        `FLORIN_JURISDICTION is "${jurisdiction}". Only Cloudflare keeps data in a jurisdiction; the data of \`npm start\` lie in the state folder of this machine.`,
      );
    }
    if (standard > most) {
      throw new SettingsError(
        `FLORIN_DEFAULT_PAGE_SIZE is ${standard}. It takes at most FLORIN_MAX_PAGE_SIZE, which is ${most}.`,
      );
    }
  },
);

export type PlatformSettings = SettingsOf<typeof platformSettings>;

function decodedLength(base64: string): number {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0
    ? atob(base64).length
    : -1;
}

function publicUrl() {
  const described = optionalText("an http(s) URL without query", isBaseUrl, {
    meaning: "Base URL of the deployment and issuer of its tokens; required beyond loopback",
  });
  const schema = described.schema.transform((value) => value?.replace(/\/+$/, ""));
  return { ...described, schema };
}
