import type { Room } from "./room.ts";

/** The rooms of one floor by name, with what a room uses beside the floors below it. */
type Floor = Readonly<Record<string, Partial<Room>>>;

/** A folder whose rooms stand on floors. */
interface House {
  /** What the folder's own files use besides the rooms. */
  readonly house: Room;
  /** What every room uses besides the floors below it. */
  readonly shared: Room;
  /** From the ground up. */
  readonly floors: readonly Floor[];
}

/**
 * The rooms of a house with floors, from the ground up, and the house itself, whose own files may import from all of them. A room imports
 * from the rooms on lower floors; an import from its own floor or from above is a violation:
 *
 *     the house     index.ts
 *                    │    │
 *     floor 2     polling  deliveries       polling may not import deliveries
 *                    │    │    │
 *     floor 1       movements  │            movements may not import polling
 *                         │    │
 *     floor 0           installs
 */
export function roomsOfFloors(
  name: string,
  { house, shared, floors }: House,
): Record<string, Room> {
  const rooms: Record<string, Room> = {};
  for (const floor of floors) {
    const below = Object.keys(rooms);
    for (const [room, own] of Object.entries(floor)) {
      rooms[`${name}/${room}`] = {
        uses: [...shared.uses, ...below, ...(own.uses ?? [])],
        packages: [...(shared.packages ?? []), ...(own.packages ?? [])],
      };
    }
  }
  rooms[name] = { ...house, uses: [...house.uses, ...Object.keys(rooms)] };
  return rooms;
}
