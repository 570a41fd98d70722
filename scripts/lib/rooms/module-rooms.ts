import { RECONCILIATION_ROOMS } from "./reconciliation-rooms.ts";
import type { Room } from "./room.ts";
import { SEARCH_ROOMS } from "./search-rooms.ts";

/** The rooms of modules that have a file of their own beside this one. */
export const MODULE_ROOMS: Readonly<Record<string, Room>> = {
  ...RECONCILIATION_ROOMS,
  ...SEARCH_ROOMS,
};
