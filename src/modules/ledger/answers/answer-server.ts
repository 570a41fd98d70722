import { callRead, fromCallText } from "./read-call.ts";
import { writeBody } from "./result-json.ts";
import { isSliced, type SlicedReads } from "./sliced-reads.ts";
import {
  CHARACTERS_MAX,
  NOT_MODIFIED,
  toVersionedBody,
  type VersionedBody,
} from "./versioned-body.ts";
import { newId } from "#platform/ids.ts";
import { FifoCache } from "#platform/memo.ts";
import { attempt, type Result } from "#platform/result.ts";

/** The log on which answers depend. Every change of a ledger is an entry of its log. */
interface Log {
  readonly headLogId: number;
}

/**
 * Answers conditional reads in the ledger's object, and caches the answers of the ledger's version, because clients ask for the same pages
 * and rows again and again. An answer depends only on the log, and holds until the log has another entry.
 */
export class AnswerServer {
  readonly #reads: Pick<SlicedReads, "engineOf" | "read">;
  readonly #answers: FifoCache<VersionedBody>;
  #log: Log | undefined;
  /** Names the log. No other log has this name, nor has the same log once it is opened again. */
  #logName = "";
  #headLogId = 0;
  #version = "";

  constructor(reads: Pick<SlicedReads, "engineOf" | "read">, charactersMax = CHARACTERS_MAX) {
    this.#reads = reads;
    this.#answers = new FifoCache({
      sizeMax: charactersMax,
      sizeOf: (key, answer) => key.length + answer.length,
    });
  }

  /**
   * Answers a read that is given as a text. `knownVersion` is the version of the answer that the caller has, or empty. Where one turn does
   * not give the whole answer, the result is that of the read.
   */
  answer(
    text: string,
    knownVersion: string,
  ): VersionedBody | Result<unknown> | Promise<Result<unknown>> {
    const engine = this.#reads.engineOf(undefined);
    if (!engine.ok) return engine;
    const version = this.#versionOf(engine.value);
    if (knownVersion === version) return NOT_MODIFIED;
    const cached = this.#answers.get(text);
    if (cached !== undefined) return cached;
    const call = fromCallText(text);
    if (isSliced(call)) return this.#reads.read(call, undefined);
    const found = attempt(() => callRead(engine.value, call));
    const body = found.ok ? writeBody(call.name, found.value) : undefined;
    if (body === undefined) return found;
    const answer = toVersionedBody(version, body);
    this.#answers.set(text, answer);
    return answer;
  }

  /** The version of a log: the name of the opened log, and its last entry. Answers of other versions are deleted. */
  #versionOf(log: Log): string {
    if (this.#log === log && this.#headLogId === log.headLogId) return this.#version;
    if (this.#log !== log) this.#logName = newId();
    this.#log = log;
    this.#headLogId = log.headLogId;
    this.#version = `${this.#logName} ${log.headLogId}`;
    this.#answers.clear();
    return this.#version;
  }
}
