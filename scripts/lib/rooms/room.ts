/** A folder with its subfolders, except those that are rooms of their own. */
export interface Room {
  /**
   * Rooms and single files that the room imports from besides itself; `modules/*` stands for every module. Of a room
   * with a face (`FACES`), other rooms import the `index.ts` only.
   */
  readonly uses: readonly string[];
  /** Packages that the room imports; `hono/*` stands for all below `hono`. */
  readonly packages?: readonly string[];
}

/** Names paths below a folder: `inside("platform")("http")` is `["platform/http"]`. */
export const inside =
  (folder: string) =>
  (...names: readonly string[]): string[] =>
    names.map((name) => `${folder}/${name}`);

export const platform = inside("platform");
export const engine = inside("ledger-engine");
export const expr = inside("expr");
export const auth = inside("modules/auth");
export const exporters = inside("modules/exporters");
export const payments = inside("modules/payments");
export const orchestration = inside("modules/orchestration");
export const reconciliation = inside("modules/reconciliation");
export const search = inside("modules/search");
export const ledger = inside("modules/ledger");

/** The part of the platform without runtime, clock, randomness and I/O. */
export const PURE = [
  ...platform("assert.ts", "brand.ts", "duration.ts", "errors.ts", "json.ts", "result.ts"),
  ...platform(
    "memo.ts",
    "time.ts",
    "access",
    "filter",
    "patterns",
    "sse/lines.ts",
    "work/backoff.ts",
  ),
];
/** What the engine needs in addition: an interface to SQL, pages, and the messages of failed checks. */
export const ENGINE = [
  ...PURE,
  ...platform(
    "paging",
    "sql/columns.ts",
    "sql/sql.ts",
    "sql/step.ts",
    "sql/table-steps.ts",
    "validation.ts",
  ),
];
export const PLATFORM = [
  "platform",
  ...platform(
    "access",
    "admission",
    "arming",
    "audit",
    "backup",
    "db",
    "dead-letters",
    "events",
    "failed-requests",
    "filter",
    "http",
    "objects",
    "paging",
    "patterns",
    "restoration",
    "secrets",
    "sql",
    "sse",
    "status",
    "storage",
    "tracing",
    "traffic",
    "upgrade",
    "work",
  ),
];
export const ANATOMY = [...PLATFORM, "platform/modules"];
export const RULES = engine("rules", "rules/filters", "rules/log", "rules/schemas");
export const READS = [...ENGINE, ...RULES, ...engine("storage", "read/scan")];

export const HTTP = ["@hono/zod-openapi", "hono", "zod"];
export const D1 = ["drizzle-orm", "drizzle-orm/*"];
export const RUNTIME = ["cloudflare:workers"];

/** What pages of the console are made of. */
export const PAGES = ["@base-ui/react/*", "@tanstack/*", "lucide-react", "react"];
export const EDITOR = ["@codemirror/*", "@lezer/highlight"];
export const GRAPHS = ["@dagrejs/dagre", "@xyflow/react", "@xyflow/react/*", "d3-sankey"];

/** What the console knows of the wire: the types of the API document, and lossless JSON. */
export const WIRE = ["openapi", ...platform("json.ts")];

const PLACES = [
  "access",
  "developers",
  "home",
  "ledgers",
  "numscript",
  "payments",
  "reconciliation",
  "sign-in",
  "wallets",
  "workflows",
];

/** The rooms of the console's places. No place imports another one: a place links to pages of another one by their URLs. */
export const CONSOLE_PLACES: Readonly<Record<string, Room>> = Object.fromEntries(
  PLACES.map((name) => [
    `console/places/${name}`,
    {
      uses: [...WIRE, "console/api", "console/parts", "console/base-path.ts"],
      packages: PAGES,
    },
  ]),
);

/** The rooms of wallets. Settings are read without the engine: every start of a server reads them, and for a name it would load all of it. */
export const WALLET_ROOMS: Readonly<Record<string, Room>> = {
  "modules/wallets/core": { uses: PURE, packages: ["node:buffer", "node:crypto"] },
  "modules/wallets": {
    uses: [
      ...ANATOMY,
      "ledger-engine",
      ...engine("rules/names.ts"),
      "modules/ledger",
      "modules/wallets/core",
    ],
    packages: [...HTTP, ...D1],
  },
  "modules/wallets/http": {
    uses: [...ANATOMY, "modules/ledger", "modules/wallets", "modules/wallets/core"],
    packages: HTTP,
  },
};
