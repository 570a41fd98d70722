import { roomsOfFloors } from "./floors.ts";
import { ANATOMY, D1, HTTP, platform, PLATFORM, PURE, reconciliation, type Room } from "./room.ts";

/** The rooms of reconciliation, with its floors from the ground up. */
export const RECONCILIATION_ROOMS: Readonly<Record<string, Room>> = {
  "modules/reconciliation/core": {
    uses: [...PURE, ...platform("cron-schedule.ts", "validation.ts")],
    packages: ["zod"],
  },
  ...roomsOfFloors("modules/reconciliation", {
    house: {
      uses: [...ANATOMY, ...reconciliation("core")],
      packages: [...HTTP, ...D1],
    },
    shared: {
      uses: [...PLATFORM, ...reconciliation("core", "settings.ts", "sweep-names.ts")],
      packages: [...D1, "@hono/zod-openapi", "zod"],
    },
    floors: [
      { balances: { uses: ["modules/ledger", "modules/payments"] } },
      { policies: {}, rules: {} },
      { alerts: {} },
      { evaluations: {} },
      { scheduler: { uses: ["modules/auth"] } },
      { http: { uses: ["modules/auth", "platform/modules"], packages: HTTP }, retention: {} },
    ],
  }),
};
