import { roomsOfFloors } from "./floors.ts";
import {
  ANATOMY,
  D1,
  HTTP,
  platform,
  PLATFORM,
  PURE,
  reconciliation,
  type Room,
  RUNTIME,
} from "./room.ts";

/** The rooms of reconciliation, with its floors from the ground up. */
export const RECONCILIATION_ROOMS: Readonly<Record<string, Room>> = {
  "modules/reconciliation/core": {
    uses: [...PURE, ...platform("cron-schedule.ts", "validation.ts")],
    packages: ["zod"],
  },
  "modules/reconciliation/core/statements": { uses: PURE, packages: ["csv-parse/sync", "saxes"] },
  // The engine of a matching runs on any synchronous SQL, and knows neither D1 nor the Worker.
  "modules/reconciliation/matchings/engine": {
    uses: [...PURE, ...platform("sql"), ...reconciliation("core")],
  },
  "modules/reconciliation/matchings/desk": {
    uses: [...PURE, ...platform("sql", "ids.ts"), ...reconciliation("core", "matchings/engine")],
  },
  ...roomsOfFloors("modules/reconciliation", {
    house: {
      uses: [...ANATOMY, ...reconciliation("core")],
      packages: [...HTTP, ...D1],
    },
    shared: {
      uses: [
        ...PLATFORM,
        ...reconciliation("core", "core/statements", "settings.ts", "sweep-names.ts"),
      ],
      packages: [...D1, "@hono/zod-openapi", "zod"],
    },
    floors: [
      { balances: { uses: ["modules/ledger", "modules/payments"] } },
      {
        clearing: { uses: ["modules/ledger"] },
        policies: {},
        rules: {},
        statements: { uses: ["modules/payments"], packages: [...RUNTIME, "node:crypto"] },
      },
      {
        sources: {
          uses: [
            "ledger-engine",
            "modules/ledger",
            "modules/payments",
            ...reconciliation("core/statements"),
          ],
        },
      },
      {
        matchings: {
          uses: ["modules/auth", ...reconciliation("matchings/desk", "matchings/engine")],
          packages: RUNTIME,
        },
      },
      {
        closing: { uses: reconciliation("matchings/desk", "matchings/engine") },
        corrections: {
          uses: [
            "ledger-engine",
            "modules/auth",
            "modules/ledger",
            ...reconciliation("matchings/desk", "matchings/engine"),
          ],
        },
      },
      { breaks: { uses: reconciliation("matchings/desk", "matchings/engine") } },
      { alerts: {} },
      { evaluations: {} },
      { scheduler: { uses: ["modules/auth"] } },
      {
        http: {
          uses: [
            "modules/auth",
            "platform/modules",
            ...reconciliation("matchings/desk", "matchings/engine"),
          ],
          packages: [...HTTP, "csv-stringify/sync", "hono/html", "node:buffer", "node:crypto"],
        },
        retention: {},
      },
    ],
  }),
};
