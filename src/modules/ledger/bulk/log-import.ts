import { JsonSplitter } from "./json-splitter.ts";
import { IMPORT_BYTES_MAX, IMPORT_ENTRIES_MAX } from "./limits.ts";
import type { ElementPace } from "./paced.ts";
import {
  type ImportBatch,
  type ImportOutcome,
  NONE_NOTED,
  type NotedEntries,
  withNoted,
} from "#ledger-engine";
import { assert } from "#platform/assert.ts";
import { AppError, type Failure } from "#platform/errors.ts";
import { unwrap } from "#platform/result.ts";

/** Sends entries to the ledger. The first entries are taken, at least one, or one of them is refused. */
export type SendEntries = (batch: ImportBatch) => Promise<ImportOutcome>;

/**
 * Imports a log while it is read. Returns which of its entries are odd. Entries that are taken stay so, whatever comes after them. Throws
 * the refusal of an entry, and an error where the body has no entry at a place that needs one.
 */
export async function importInBatches(
  chunks: AsyncIterable<Uint8Array>,
  send: SendEntries,
  pace?: ElementPace,
): Promise<NotedEntries> {
  const batches = new Batches(send);
  try {
    await batches.begin();
  } catch (error) {
    await leave(chunks);
    throw error;
  }
  const splitter = new JsonSplitter('{"type": …}');
  try {
    for await (const chunk of chunks) {
      for (const piece of splitter.push(chunk)) {
        if (!piece.ok) throw brokenEntry(piece.failure, batches.count + 1);
        const turn = pace?.();
        if (turn !== undefined) await turn;
        if (batches.add(piece.value)) await batches.send();
      }
    }
    for (const piece of splitter.end()) {
      if (!piece.ok) throw brokenEntry(piece.failure, batches.count + 1);
    }
  } catch (error) {
    // The entries before the broken one are imported first; if one of them is refused, that error counts.
    await batches.finish();
    throw error;
  }
  await batches.finish();
  return batches.noted;
}

/** Reads the beginning of a body that is not needed, so that its client takes an answer. */
async function leave(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    await iterator.next();
    await iterator.return?.();
  } catch {
    // The client has gone, and another error is already being reported.
  }
}

/** The error for a body that is wrong at the position of its next entry. */
function brokenEntry({ kind, message }: Failure, number: number): AppError {
  return kind === "BULK_SIZE_EXCEEDED"
    ? new AppError("IMPORT", `importing logs: entry ${number}: ${message}`)
    : new AppError("VALIDATION", `entry ${number} is not valid JSON`, { details: message });
}

/** Longest time that an entry waits for others to be sent with it where no batch is under way, in milliseconds. */
const WAIT_MS = 20;

/**
 * Sends entries in batches, and collects the next batch while one is under way. A batch is sent when it is full, or after a short while, so
 * that entries of a slow client are stored, too.
 */
class Batches {
  readonly #send: SendEntries;
  #pending: string[] = [];
  #pendingSize = 0;
  /** The number of entries that were sent, of which the last may be under way. */
  #sent = 0;
  #underWay: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #error: { readonly thrown: unknown } | undefined;
  #noted = NONE_NOTED;

  constructor(send: SendEntries) {
    this.#send = send;
  }

  get count(): number {
    return this.#sent + this.#pending.length;
  }

  /** The odd entries among those that were taken. */
  get noted(): NotedEntries {
    return this.#noted;
  }

  /** Throws if the ledger accepts no entries. */
  async begin(): Promise<void> {
    await this.#run({ texts: [], before: 0 });
    this.#assertTaken();
  }

  /** Adds an entry. Returns whether the batch is full, so that it must be sent before another entry is added. */
  add(text: string): boolean {
    this.#assertTaken();
    this.#pending.push(text);
    this.#pendingSize += text.length;
    const isFull =
      this.#pending.length >= IMPORT_ENTRIES_MAX || this.#pendingSize >= IMPORT_BYTES_MAX;
    if (!isFull) this.#sendSoon();
    return isFull;
  }

  /** Sends the entries that were added, once all entries that were sent before are taken. */
  async send(): Promise<void> {
    await this.#underWay;
    this.#assertTaken();
    this.#sendNow();
  }

  /** Waits until all added entries are taken. Throws the refusal of an entry. */
  async finish(): Promise<void> {
    await this.send();
    await this.#underWay;
    this.#assertTaken();
  }

  #sendSoon(): void {
    if (this.#underWay === undefined) this.#timer ??= setTimeout(() => this.#sendNow(), WAIT_MS);
  }

  #sendNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // No entry is sent after one was refused.
    const isOver = this.#error !== undefined;
    if (isOver || this.#underWay !== undefined || this.#pending.length === 0) return;
    const batch = { texts: this.#pending, before: this.#sent };
    this.#sent += this.#pending.length;
    this.#pending = [];
    this.#pendingSize = 0;
    this.#underWay = this.#run(batch).finally(() => {
      this.#underWay = undefined;
      if (this.#pending.length > 0) this.#sendSoon();
    });
  }

  async #run({ texts, before }: ImportBatch): Promise<void> {
    try {
      let rest = { texts, before };
      do {
        const { taken, noted, failure } = await this.#send(rest);
        if (noted !== undefined) this.#noted = withNoted(this.#noted, noted);
        if (failure !== undefined) unwrap({ ok: false, failure });
        assert(taken > 0 || rest.texts.length === 0, "a call takes one entry at least");
        rest = { texts: rest.texts.slice(taken), before: rest.before + taken };
      } while (rest.texts.length > 0);
    } catch (thrown) {
      this.#error ??= { thrown };
    }
  }

  #assertTaken(): void {
    if (this.#error !== undefined) throw this.#error.thrown;
  }
}
