import { roomsOfFloors } from "./floors.ts";
import { ANATOMY, D1, HTTP, PLATFORM, PURE, reconciliation, type Room } from "./room.ts";

/** The rooms of reconciliation, with its floors from the ground up. */
export const RECONCILIATION_ROOMS: Readonly<Record<string, Room>> = {
  "modules/reconciliation/core": { uses: PURE, packages: ["croner", "zod"] },
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
      { evaluations: { uses: ["modules/auth"] } },
      { scheduler: {} },
      { http: { uses: ["modules/auth", "platform/modules"], packages: HTTP }, retention: {} },
    ],
  }),
};
