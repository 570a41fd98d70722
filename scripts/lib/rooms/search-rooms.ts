import { roomsOfFloors } from "./floors.ts";
import { ANATOMY, D1, HTTP, platform, PLATFORM, PURE, type Room, RUNTIME, search } from "./room.ts";

/** The rooms of the search, with its floors from the ground up. */
export const SEARCH_ROOMS: Readonly<Record<string, Room>> = {
  "modules/search/core": { uses: PURE, packages: ["node:crypto"] },
  // The index runs on any synchronous SQL, and knows neither D1 nor the Worker.
  "modules/search/engine": { uses: [...PURE, ...platform("sql"), ...search("core")] },
  ...roomsOfFloors("modules/search", {
    house: { uses: [...ANATOMY, ...search("core", "engine")], packages: [...HTTP, ...D1] },
    shared: {
      uses: [
        ...PLATFORM,
        ...search("core", "engine", "settings.ts", "sweep-names.ts", "tables.ts"),
      ],
    },
    floors: [
      { api: {}, shards: { uses: ["modules/ledger"], packages: RUNTIME } },
      { follow: { uses: ["modules/catalogue"], packages: D1 } },
      { query: { packages: ["node:buffer", "zod"] } },
      { http: { uses: ["platform/modules"], packages: HTTP } },
    ],
  }),
};
