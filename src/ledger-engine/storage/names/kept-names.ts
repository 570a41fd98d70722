/** Each id has one place, and shares it with the ids that are this far from it, or several times as far. */
const PLACES = 2 ** 17;
/** The names are in parts, which exist once one of their places is taken. */
const PART_PLACES = 256;
/** Most characters of all names together. */
const LENGTH_MAX = 3_000_000;

/** How much is kept. */
export interface NameBounds {
  /** A multiple of the places of a part. */
  readonly places: number;
  readonly lengthMax: number;
}

/**
 * A cache of names by their ids. Ids have no gaps, so that nearly all names of a ledger are in it where it has fewer of them than
 * places. One of 18 characters takes 65 bytes on Node; in a map it takes 94.
 */
export class KeptNames {
  readonly #bounds: NameBounds;
  #parts: (NamePart | undefined)[] = [];
  /** The characters of all names in parts. */
  #length = 0;
  /** The part that is dropped next. */
  #oldest = 0;
  /** The names whose places others have taken since `forgetDisplaced`: whoever has asked for all of them may still read them. */
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

  /** Adds a name. The names may exceed their limit until `trim` is called, because whoever has asked for them reads them. */
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

  /** Keeps the names within their limit: whole parts of them are dropped, one after the other. */
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

/** Where no id is, which begin at 0. */
const NO_ID = -1;

interface NamePart {
  readonly ids: Float64Array;
  /** Empty where there is no id. */
  readonly names: string[];
}

const newPart = (): NamePart => ({
  ids: new Float64Array(PART_PLACES).fill(NO_ID),
  names: Array.from({ length: PART_PLACES }, () => ""),
});
