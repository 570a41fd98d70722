import type { AccountSelection } from "./account-selection.ts";
import { toCursor } from "./log-cursor.ts";
import type { StreamedEntry, StreamedLog } from "#modules/ledger/objects/streamed-log.ts";

/** What a stream shows. */
export interface StreamView {
  readonly accounts: AccountSelection;
  readonly showsEntries: boolean;
  readonly showsBalances: boolean;
}

/** Lines of a stream, and the entry up to which they are complete. */
export interface SegmentLines {
  readonly lines: string | Uint8Array;
  readonly to: number;
}

/** Length after which a chunk is sent, in characters. */
const CHUNK_LENGTH = 65_536;
/** Length that an entry counts for besides its texts, in characters. */
const ENTRY_LENGTH = 300;

/**
 * The entries of a part of the log: those after `after`, up to `to`. Streams share it, so that each line is written once however many of them
 * send it.
 */
export class LogSegment {
  readonly after: number;
  readonly to: number;
  /** The estimated length of everything in it, in characters. */
  readonly length: number;
  readonly #entries: readonly StreamedEntry[];
  readonly #tag: string;
  readonly #lines: (string | undefined)[] = [];
  /** Chunks for streams of everything, by the positions at which they begin. */
  readonly #chunks = new Map<number, SegmentLines>();
  readonly #chunkEnds = new Set<number>();
  #byAccount: ReadonlyMap<string, readonly number[]> | undefined;

  constructor({ after, to, entries }: StreamedLog, tag: string) {
    this.after = after;
    this.to = to;
    this.#entries = entries;
    this.#tag = tag;
    this.length = entries.reduce((sum, entry) => sum + lengthOf(entry), ENTRY_LENGTH);
  }

  /** The accounts that the entries concern. */
  get accounts(): Iterable<string> {
    return this.#indexes.keys();
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The lines of the wanted entries after a position, as many of the first ones as a chunk has; empty where none is wanted. */
  linesAfter(position: number, view: StreamView): SegmentLines {
    if (view.accounts.patterns === undefined && !view.showsBalances) return this.#chunkOf(position);
    const wanted = this.#wanted(view.accounts).filter((index) => this.#idAt(index) > position);
    const chosen: StreamedEntry[] = [];
    let [lines, length] = ["", 0];
    for (const index of wanted) {
      const entry = this.#entries[index];
      if (entry === undefined) continue;
      if (length >= CHUNK_LENGTH) break;
      chosen.push(entry);
      length += entry.text.length;
      if (view.showsEntries) lines += this.#lineAt(index, entry);
    }
    const to = chosen.length < wanted.length ? (chosen.at(-1)?.id ?? this.to) : this.to;
    if (!view.showsBalances) return { lines, to };
    // Balances come first and have no id where entries follow, so that a client that is cut off between them gets both again.
    const id = view.showsEntries ? "" : `id: ${toCursor(to, this.#tag)}\n`;
    return { lines: balancesLines(chosen, view.accounts, id) + lines, to };
  }

  /** A chunk with all entries, as bytes that many streams send. */
  #chunkOf(from: number): SegmentLines {
    const position = Math.max(from, this.after);
    const known = this.#chunks.get(position);
    if (known !== undefined) return known;
    const isShared = position === this.after || this.#chunkEnds.has(position);
    let [lines, to] = ["", this.to];
    for (const [index, entry] of this.#entries.entries()) {
      if (entry.id <= position) continue;
      if (lines.length >= CHUNK_LENGTH) {
        to = this.#idAt(index - 1);
        break;
      }
      lines += this.#lineAt(index, entry);
    }
    const chunk = { lines: new TextEncoder().encode(lines), to };
    // Streams that begin anywhere else have chunks of their own, up to the end of the segment.
    if (isShared) {
      this.#chunks.set(position, chunk);
      this.#chunkEnds.add(to);
    }
    return chunk;
  }

  #wanted(accounts: AccountSelection): number[] {
    if (accounts.patterns === undefined) return [...this.#entries.keys()];
    const found = accounts.valuesOf(this.#indexes);
    return [...new Set(found.flat())].toSorted((a, b) => a - b);
  }

  /** The positions of entries by the accounts that they concern. */
  get #indexes(): ReadonlyMap<string, readonly number[]> {
    if (this.#byAccount !== undefined) return this.#byAccount;
    const byAccount = new Map<string, number[]>();
    for (const [index, { accounts, balances }] of this.#entries.entries()) {
      for (const account of new Set([...accounts, ...balances.map(({ account }) => account)])) {
        const known = byAccount.get(account);
        if (known === undefined) byAccount.set(account, [index]);
        else known.push(index);
      }
    }
    this.#byAccount = byAccount;
    return byAccount;
  }

  #idAt(index: number): number {
    return this.#entries[index]?.id ?? this.to;
  }

  #lineAt(index: number, { id, text }: StreamedEntry): string {
    return (this.#lines[index] ??=
      `id: ${toCursor(id, this.#tag)}\nevent: entry\ndata: ${text}\n\n`);
  }
}

/** The event `balances`: the last volumes of each wanted account and asset that the entries have moved; empty for none. */
function balancesLines(
  entries: readonly StreamedEntry[],
  accounts: AccountSelection,
  idLine: string,
): string {
  const last = new Map<string, string>();
  for (const { balances } of entries) {
    for (const { account, asset, text } of balances) {
      if (accounts.wants(account)) last.set(`${account} ${asset}`, text);
    }
  }
  if (last.size === 0) return "";
  return `${idLine}event: balances\ndata: {"balances":[${[...last.values()].join()}]}\n\n`;
}

const lengthOf = ({ text, balances }: StreamedEntry): number =>
  ENTRY_LENGTH +
  2 * text.length + // the text, and the line with it
  balances.reduce((sum, balance) => sum + balance.text.length + ENTRY_LENGTH, 0);
