import { roomsOfFloors } from "./floors.ts";
import { MODULE_ROOMS } from "./module-rooms.ts";
import { PLATFORM_ROOMS } from "./platform-rooms.ts";
import {
  ANATOMY,
  auth,
  CONSOLE_PLACES,
  D1,
  EDITOR,
  engine,
  ENGINE,
  exporters,
  expr,
  GRAPHS,
  HTTP,
  ledger,
  orchestration,
  PAGES,
  payments,
  platform,
  PLATFORM,
  PURE,
  READS,
  type Room,
  RULES,
  RUNTIME,
  WALLET_ROOMS,
  WIRE,
} from "./room.ts";

/** Rooms that others import through their `index.ts` only. Every module is such a room, too. */
export const FACES: readonly string[] = ["numscript", "expr", "ledger-engine", "library"];

/** The rooms of a module that is not in the table: its rules in `core`, and everything else. */
export function moduleRoom(name: string): Room | undefined {
  const [top, module, inside, ...rest] = name.split("/");
  if (top !== "modules" || module === undefined) return undefined;
  if (inside === undefined)
    return { uses: [...ANATOMY, `${name}/core`], packages: [...HTTP, ...D1] };
  return inside === "core" && rest.length === 0 ? { uses: PURE } : undefined;
}

/**
 * The rooms of `src` and the arrows that are allowed between them, from the bottom up. A room is a folder with its
 * subfolders, except those that are rooms of their own. Type imports count.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  ...PLATFORM_ROOMS,

  numscript: { uses: [] },
  "numscript/syntax": { uses: ["numscript"] },
  "numscript/values": { uses: ["numscript", "numscript/syntax"] },
  "numscript/print": { uses: ["numscript", "numscript/syntax"] },
  "numscript/machine": { uses: ["numscript", "numscript/syntax", "numscript/values"] },
  "numscript/interpreter": { uses: ["numscript", "numscript/syntax", "numscript/values"] },
  "numscript/check": {
    uses: ["numscript", "numscript/syntax", "numscript/values", "numscript/machine"],
  },

  expr: { uses: [...PURE, ...expr("syntax", "values", "evaluate", "check")] },
  "expr/values": { uses: [...PURE, ...expr("diagnostics.ts", "limits.ts")] },
  "expr/syntax": { uses: [...PURE, ...expr("diagnostics.ts", "limits.ts", "source.ts", "values")] },
  "expr/builtins": {
    uses: [...PURE, ...expr("diagnostics.ts", "limits.ts", "source.ts", "syntax", "values")],
  },
  "expr/evaluate": {
    uses: [
      ...PURE,
      ...expr("diagnostics.ts", "limits.ts", "source.ts", "syntax", "values", "builtins"),
    ],
  },
  "expr/check": {
    uses: [...PURE, ...expr("diagnostics.ts", "limits.ts", "source.ts", "syntax", "values")],
  },

  "ledger-engine/rules": { uses: [...PURE, "numscript"] },
  "ledger-engine/rules/filters": { uses: PURE },
  "ledger-engine/rules/schemas": {
    uses: [...PURE, "numscript", ...engine("rules", "rules/filters")],
  },
  "ledger-engine/rules/log": { uses: [...PURE, ...engine("rules", "rules/schemas")] },
  "ledger-engine/storage": {
    uses: [...ENGINE, "numscript", ...RULES],
    packages: ["node:crypto"],
  },
  "ledger-engine/read/scan": { uses: [...ENGINE, ...RULES, ...engine("storage")] },
  "ledger-engine/read/accounts": { uses: READS },
  "ledger-engine/read/transactions": { uses: [...READS, ...engine("read/accounts")] },
  "ledger-engine/read/volumes": { uses: [...READS, ...engine("read/accounts")] },
  "ledger-engine/read/logs": { uses: READS },
  "ledger-engine/read": {
    uses: [...READS, ...engine("read/accounts", "read/transactions", "read/volumes", "read/logs")],
  },
  "ledger-engine/write": { uses: READS, packages: ["node:crypto"] },
  "ledger-engine": {
    uses: [...READS, ...engine("read", "write")],
  },
  "ledger-engine/audit": {
    uses: [...READS, "ledger-engine", ...engine("write"), ...platform("storage-full.ts")],
    packages: ["node:crypto"],
  },
  "ledger-engine/requests": { uses: [...ENGINE, "numscript", ...RULES], packages: ["zod"] },

  library: {
    uses: [
      ...ENGINE,
      ...platform("clock.ts", "ids.ts", "sql", "storage-full.ts"),
      "numscript",
      "ledger-engine",
    ],
    packages: ["node:fs", "node:path", "node:sqlite", "node:util/types", "zod"],
  },

  "modules/auth/core": { uses: PURE },
  "modules/deployment": {
    uses: [...ANATOMY, ...platform("backup/scheduled"), "modules/payments"],
    packages: [...HTTP, ...D1],
  },

  ...roomsOfFloors("modules/auth", {
    house: { uses: [...ANATOMY, ...auth("core")], packages: [...HTTP, ...D1] },
    shared: {
      uses: [
        ...PLATFORM,
        ...auth("core", "retry-first-read.ts", "settings.ts", "sweeps.ts", "tables.ts"),
      ],
      packages: [...D1, "node:crypto"],
    },
    floors: [
      // Objects that hash passwords, count attempts and hold quotas; what clients and people may do, as it is stored; tokens that were revoked.
      {
        authority: {},
        hashing: { packages: RUNTIME },
        limits: { packages: RUNTIME },
        quotas: { packages: RUNTIME },
        revocations: {},
      },
      { grants: {}, registry: {} },
      { keys: { packages: ["jose"] }, people: {} },
      // What a client asks of people, until they have logged in; and whether a token is valid.
      { authorize: { packages: ["jose", "zod"] }, verification: { packages: ["jose", "zod"] } },
      // Passkeys, the token endpoint, and the provider at which people log in, if it is not this server.
      {
        passkeys: { packages: ["@simplewebauthn/server", "zod"] },
        retention: {},
        tokens: { packages: ["jose"] },
        upstream: { packages: ["jose", "zod"] },
      },
      // The rule of who may change clients and people.
      { permits: {} },
      { administration: {}, clients: {} },
      { passwords: {} },
      // What people see in their browsers.
      { pages: { packages: [...HTTP, "hono/*"] } },
      { http: { uses: ["platform/modules"], packages: HTTP } },
    ],
  }),

  ...roomsOfFloors("modules/webhooks", {
    house: { uses: [...ANATOMY, "modules/webhooks/core"], packages: [...HTTP, ...D1] },
    shared: {
      uses: [
        ...PLATFORM,
        ...["core", "event-types.ts", "settings.ts", "tables.ts"].map(
          (name) => `modules/webhooks/${name}`,
        ),
      ],
      packages: [...D1, "node:crypto"],
    },
    floors: [
      { bodies: { packages: ["node:zlib"] }, calls: {} },
      { configs: {} },
      // Bodies of a ledger's events are read from its log.
      {
        "fan-out": {},
        lane: { uses: ["modules/catalogue", "modules/ledger"], packages: RUNTIME },
      },
      { services: {} },
      {
        http: {
          uses: ["modules/auth", "platform/modules"],
          packages: [...HTTP, "node:buffer", "node:util"],
        },
      },
    ],
  }),

  "modules/events": {
    uses: [...ANATOMY, "modules/events/core", "modules/webhooks"],
    packages: [...HTTP, ...D1, ...RUNTIME],
  },

  "modules/payments/core": { uses: PURE, packages: ["node:buffer", "node:crypto"] },
  "modules/payments/connectors": {
    uses: [...PLATFORM, ...payments("core")],
    packages: ["node:crypto", "zod"],
  },
  ...roomsOfFloors("modules/payments", {
    // The module itself, which puts the rooms together.
    house: { uses: [...ANATOMY, ...payments("connectors", "core")], packages: [...HTTP, ...D1] },
    shared: {
      uses: [...PLATFORM, ...payments("connectors", "core", "settings.ts")],
      packages: [...D1, "@hono/zod-openapi", "node:crypto", "zod"],
    },
    floors: [
      { common: {} },
      { "bloom-index": {} },
      { installs: {} },
      // The frame in which an entity describes how data of providers become its rows and events.
      { ingestion: {} },
      // Entities: their rows, the events of their changes, and the ingestion of what providers report.
      {
        accounts: {},
        balances: {},
        bookings: {},
        conversions: {},
        orders: {},
        schedules: {},
        tasks: {},
        webhooks: {},
      },
      // What a restored copy has to ask its providers about, and what a person decides.
      { lookups: {} },
      { initiations: {}, jobs: {}, lifecycle: {}, pools: {}, rejected: {} },
      { "bank-accounts": {}, health: {}, payments: {} },
      // Payments become transactions of a ledger. Beside it: users and their connections.
      { mirror: { uses: ["modules/ledger"] }, users: {} },
      // The engine.
      { movements: {} },
      { looking: {} },
      { deliveries: {}, polling: { packages: RUNTIME }, transfers: {} },
      { "job-runner": {} },
      { http: { uses: ["platform/modules"], packages: HTTP } },
    ],
  }),

  "modules/orchestration/core": { uses: PURE },
  ...roomsOfFloors("modules/orchestration", {
    house: { uses: [...ANATOMY, ...orchestration("core")], packages: [...HTTP, ...D1] },
    shared: {
      uses: [...PLATFORM, ...orchestration("core", "settings.ts", "sweep-names.ts")],
      packages: [...D1, "@hono/zod-openapi", "zod"],
    },
    floors: [
      { workflows: { packages: ["yaml"] } },
      { instances: { packages: ["node:crypto"] } },
      // Calls of other modules that stages make.
      { activities: { uses: ["modules/ledger", "modules/payments", "modules/wallets"] } },
      // Instances on the platform.
      { run: { packages: RUNTIME } },
      // A lane asks which entries a ledger has when it comes back from a backup.
      { triggers: { uses: ["expr", "modules/auth", "modules/catalogue"], packages: RUNTIME } },
      {
        http: { uses: ["expr", "modules/auth", "platform/modules"], packages: HTTP },
        retention: {},
      },
    ],
  }),

  ...WALLET_ROOMS,
  ...MODULE_ROOMS,

  // Which ledgers there are.
  "modules/catalogue": { uses: [...ANATOMY, "ledger-engine"], packages: D1 },
  ...roomsOfFloors("modules/exporters", {
    house: { uses: ANATOMY, packages: [...HTTP, ...D1] },
    shared: { uses: [...PLATFORM, ...exporters("settings.ts", "tables.ts")] },
    floors: [
      { drivers: { packages: ["node:buffer"] } },
      // A pipeline exists as long as its ledger does: one statement reads the tables of both.
      { store: { uses: ["modules/catalogue"], packages: D1 } },
      { delivery: { uses: ["ledger-engine", "modules/catalogue"], packages: RUNTIME } },
      { services: { uses: ["ledger-engine", "modules/catalogue"] } },
      { http: { uses: ["platform/modules"], packages: HTTP } },
    ],
  }),

  ...roomsOfFloors("modules/ledger", {
    house: {
      uses: [...ANATOMY, "ledger-engine", "library", "modules/catalogue", "numscript"],
      packages: [...HTTP, ...D1],
    },
    shared: {
      uses: [
        ...PLATFORM,
        "ledger-engine",
        "modules/catalogue",
        ...ledger("object-calls.ts", "settings.ts"),
      ],
    },
    floors: [
      // The bodies of requests and answers, which the object reads and writes as well.
      { buckets: { uses: ["modules/exporters"], packages: D1 }, wire: { packages: HTTP } },
      { bulk: { packages: HTTP } },
      // How results of reads and writes become bodies of answers, in the object and in the Worker.
      { answers: { packages: HTTP } },
      { objects: { packages: RUNTIME } },
      { live: {}, service: {} },
      {
        // The client of other modules, which speaks the library's types.
        client: { uses: ["library", "numscript"] },
        http: { uses: ["platform/modules"], packages: HTTP },
      },
      {
        "http/florin": { uses: ["numscript"], packages: HTTP },
        "http/v1": { packages: HTTP },
        "http/v2": { uses: ["modules/exporters", "platform/modules"], packages: HTTP },
      },
    ],
  }),

  // The page of a browser: it knows the API by the types of its document, and nothing else of the Worker.
  "console/api": { uses: WIRE, packages: ["oauth4webapi"] },
  "console/parts": {
    uses: [...WIRE, "console/api"],
    packages: [...PAGES, ...EDITOR, ...GRAPHS, "uplot"],
  },
  "console/palette": {
    uses: [...WIRE, "console/api", "console/parts"],
    packages: [...PAGES, "cmdk"],
  },
  ...CONSOLE_PLACES,
  console: {
    uses: [
      "console/parts",
      "console/api",
      "console/palette",
      "console/places/*",
      "platform/modules",
    ],
    packages: [...PAGES, "react-dom/client"],
  },

  // The site of the documentation; VitePress reads all but its declaration.
  guide: { uses: ["platform/modules"], packages: ["node:fs", "node:path", "vite", "vitepress"] },
  "guide/theme": { uses: [], packages: ["vitepress", "vitepress/*", "vue"] },

  // What is wired here: routes, document, queues, sweeps and the Worker's entry.
  "": {
    uses: [
      ...ANATOMY,
      ...platform("backup/saving", "backup/scheduled", "document"),
      "modules/*",
      "console/site.ts",
      "guide/site.ts",
    ],
    packages: [...HTTP, ...RUNTIME],
  },
};

/** The rooms of `scripts` and `bench`, and the rooms that each imports from besides itself. */
export const TOOL_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "scripts/lib": [],
  "scripts/connector-template": [],
  "scripts/demo": ["scripts/lib"],
  "scripts/deploy": ["scripts/lib"],
  "scripts/florin": ["scripts/deploy", "scripts/lib"],
  "scripts/generic-psp": ["scripts/lib"],
  "scripts/listen": ["scripts/lib"],
  "scripts/package": ["scripts/deploy", "scripts/florin", "scripts/lib"],
  scripts: [
    "scripts/demo",
    "scripts/deploy",
    "scripts/florin",
    "scripts/generic-psp",
    "scripts/lib",
    "scripts/listen",
    "scripts/package",
  ],
  bench: ["scripts/lib"],
};
