/** The number of places. The place of an id is the id modulo this number. */
const PLACES = 2 ** 17;
/** The places of a part. A part is allocated once one of its places is taken. */
const PART_PLACES = 256;
/** The most characters of all names together. */
const LENGTH_MAX = 3_000_000;

/** The limits of the cache. */
export interface NameBounds {
  /** A multiple of `PART_PLACES`. */
  readonly places: number;
  readonly lengthMax: number;
}

/**
 * A direct-mapped cache of names by id: each id has one place, which a later id with the same place takes over. Ids have no gaps, so that
 * a ledger with fewer names than places keeps nearly all of them. A name of 18 characters takes 65 bytes on Node; in a map it takes 94.
 *
 *     #parts    [0]  places 0…255  ──►    place    0       1       2            …  255
 *               [1]  not allocated        ids      empty   id 1    id 2^17 + 2
 *               [2]  places 512…767       names            "a"     "x"
 */
export class NameCache {
  readonly #bounds: NameBounds;
  #parts: (NamePart | undefined)[] = [];
  /** The number of characters of all names in parts. */
  #length = 0;
  /** The index of the part that `trim` drops next. */
  #oldest = 0;
  /** Names whose places were taken over since `forgetDisplaced`, because a caller that has asked for all of them may still read them. */
  readonly #displaced = new Map<number, string>();

  constructor(bounds: NameBounds = { places: PLACES, lengthMax: LENGTH_MAX }) {
    this.#bounds = bounds;
  }

  get(id: number): string | undefined {
    const place = id % this.#bounds.places;
    const part = this.#parts[Math.floor(place / PART_PLACES)];
    const index = place % PART_PLACES;
    if (part !== undefined && part.ids[index] === id) return part.names[index];
    return this.#displaced.get(id);
  }

  /** Whether the name is in its place, and remains there when displaced names are forgotten. */
  has(id: number): boolean {
    const place = id % this.#bounds.places;
    return this.#parts[Math.floor(place / PART_PLACES)]?.ids[place % PART_PLACES] === id;
  }

  /** Adds a name. The cache may exceed its limit until `trim` is called, because callers read the names that they have asked for. */
  set(id: number, name: string): void {
    const place = id % this.#bounds.places;
    const part = (this.#parts[Math.floor(place / PART_PLACES)] ??= newPart());
    const index = place % PART_PLACES;
    const before = part.names[index] ?? "";
    const other = part.ids[index] ?? NO_ID;
    if (other !== NO_ID && other !== id) this.#displaced.set(other, before);
    part.ids[index] = id;
    part.names[index] = name;
    this.#length += name.length - before.length;
  }

  /** Keeps the cache within its limit: drops whole parts in turn. */
  trim(): void {
    while (this.#length > this.#bounds.lengthMax) {
      const part = this.#parts[this.#oldest];
      for (const name of part?.names ?? []) this.#length -= name.length;
      this.#parts[this.#oldest] = undefined;
      this.#oldest = (this.#oldest + 1) % (this.#bounds.places / PART_PLACES);
    }
  }

  forgetDisplaced(): void {
    this.#displaced.clear();
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
    this.#oldest = 0;
    this.#displaced.clear();
  }
}

/** The id of an empty place. No id is negative. */
const NO_ID = -1;

interface NamePart {
  readonly ids: Float64Array;
  /** Each name, or an empty text if the place is empty. */
  readonly names: string[];
}

const newPart = (): NamePart => ({
  ids: new Float64Array(PART_PLACES).fill(NO_ID),
  names: Array.from({ length: PART_PLACES }, () => ""),
});
