import type { Sql } from "#platform/sql/sql.ts";

/** A level of the tree of accounts, and the segment at which a walk begins. */
export interface SegmentRange {
  /** Empty, or a text that ends with a colon. */
  readonly prefix: string;
  /** The address of the first segment. */
  readonly from: string;
  /** The end of the addresses that begin with the prefix. */
  readonly below: string;
}

/**
 * Walks the segments of a level in byte order, with one step into the index for each (a loose index scan): after an address of a segment,
 * the next step skips all accounts below it, however many there are.
 *
 * The accounts of a segment are not always neighbours. `-` and digits sort before `:`, so that the segments `a-b` and `a1` stand between the
 * account `a` and the accounts below `a:`, although the name `a` comes first:
 *
 *     addresses    a   a-b:1   a-b:2   a1   a:5   a:7   b        segments by name: a, a-b, a1, b
 *     steps        └─► └─────────────► └──► └─────────► └──►
 *                  a   a-b             a1   a again     b
 *
 * If `a` is no account, its first address is `a:5`, and its name would come too late. But then all addresses between `a-b` and `a:5` begin
 * with `a`, and the next address tells that: a proper prefix of a segment may be a segment with accounts further on if the next address
 * begins with it, too, and its next character sorts before the colon. Each such prefix is given once, before the segments that begin with it.
 */
export class SegmentWalk {
  readonly #sql: Sql;
  readonly #range: SegmentRange;
  /** The address that the next step gives; undefined at the end. */
  #ahead: string | undefined;
  #isStarted = false;
  /** The address of the segment of the last step. */
  #before: string | undefined;
  /** The address that was given last. */
  #last: string | undefined;

  constructor(sql: Sql, range: SegmentRange) {
    this.#sql = sql;
    this.#range = range;
  }

  /** The addresses of the next segments: at least `size` unless the walk ends. Some may have no accounts. */
  next(size: number): string[] {
    const found: string[] = [];
    while (found.length < size && !(this.#isStarted && this.#ahead === undefined)) {
      const steps = this.#steps(size - found.length + 1);
      // Unless the walk ends, the last address is given with the next steps, because the address that follows it is not known yet.
      const given = this.#ahead === undefined ? steps : steps.slice(0, -1);
      for (const [index, address] of given.entries()) this.#give(address, steps[index + 1], found);
    }
    return found;
  }

  /** The addresses of the next steps, from the one ahead on. `#ahead` becomes the last of them, or undefined if the walk ends with it. */
  #steps(count: number): string[] {
    const { prefix, from, below } = this.#range;
    const start = this.#ahead ?? from;
    const limit = count + 1;
    const rows = this.#sql.all<{ address: string }>(STEPS, start, below, prefix, limit);
    const addresses = rows.map(({ address }) => address);
    this.#isStarted = true;
    this.#ahead = addresses.length < limit ? undefined : addresses.at(-1);
    return addresses;
  }

  /** Gives the segment of an address, after the segments that begin it and have accounts further on. */
  #give(address: string, next: string | undefined, found: string[]): void {
    const { prefix, from } = this.#range;
    const end = address.indexOf(":", prefix.length);
    const segment = end === -1 ? address : address.slice(0, end);
    const shared = next === undefined ? -1 : commonLength(segment, next);
    const known =
      this.#before === undefined ? prefix.length - 1 : commonLength(this.#before, segment);
    for (let length = known + 1; length <= shared && length < segment.length; length++) {
      if (segment.charCodeAt(length) < COLON) this.#add(segment.slice(0, length), from, found);
    }
    if (this.#last?.startsWith(segment) !== true) this.#add(segment, from, found);
    this.#before = segment;
  }

  /** Adds a segment, unless it comes before the beginning of the walk: then its name begins the name of the first segment. */
  #add(segment: string, from: string, found: string[]): void {
    if (segment.length < from.length && from.startsWith(segment)) return;
    found.push(segment);
    this.#last = segment;
  }
}

const COLON = ":".charCodeAt(0);

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** The address after the accounts of the segment of `walk.address`. The prefix is the parameter 3. */
const BEHIND = `iif(instr(substr(walk.address, length(?3) + 1), ':') = 0,
    walk.address || char(1),
    substr(walk.address, 1, length(?3) + instr(substr(walk.address, length(?3) + 1), ':') - 1) || ';')`;

const STEPS = `WITH RECURSIVE walk (address) AS (
    SELECT (SELECT address FROM account WHERE address >= ?1 AND address < ?2 ORDER BY address LIMIT 1)
    UNION ALL
    SELECT (SELECT address FROM account WHERE address >= ${BEHIND} AND address < ?2 ORDER BY address LIMIT 1)
      FROM walk WHERE address IS NOT NULL
    LIMIT ?4 + 0
  )
  SELECT address FROM walk WHERE address IS NOT NULL`;
