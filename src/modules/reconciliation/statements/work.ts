import { bucketKey, putFile, statementBucketOf } from "./bucket.ts";
import type { FileStore, StoredFile } from "./file-store.ts";
import type { FileLineStore } from "./line-store.ts";
import { type UnstoredLine, readFile } from "./read-file.ts";
import type { FileSpec, Verdict } from "./reading.ts";
import { recordReading, recordRemoval, recordVerdict } from "./record.ts";
import type { StatementRefusal } from "./refusal.ts";
import { present } from "#platform/assert.ts";
import { isStorageFull } from "#platform/storage-full.ts";

/** Lines that are stored at once. Others have their turn after each batch. */
export const BATCH_LINES = 500;
/** How often reading a file begins. A file that ends the process each time is refused then. */
export const ATTEMPTS_MAX = 5;

/** What becomes of a file: it is ready, or refused, or the source has its content or is gone. */
export type Ending =
  | { readonly is: "ready" }
  | { readonly is: "gone" }
  | { readonly is: "exists"; readonly id: string }
  | { readonly is: "refused"; readonly refusal: StatementRefusal };

/** What the work on files needs of its object. */
export interface WorkPorts {
  readonly env: Env;
  readonly files: FileStore;
  readonly lines: FileLineStore;
  readonly decimalsOf: (currency: string) => number | undefined;
  /** Lets others have their turn, and leaves an alarm behind in case the process ends. */
  readonly rest: () => Promise<void>;
}

/** Brings one file after the other from its arrival to its end; see `object-tables.ts` for the states. */
export class FileWork {
  readonly #ports: WorkPorts;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
  }

  /** Stores the head of a file that has arrived. Returns the end of the file, if it ends here. */
  async store(file: StoredFile): Promise<Ending | undefined> {
    const { env, files } = this.#ports;
    const recorded = await recordReading(env, recordOf(file));
    const state = files.find(file.id)?.state;
    // Another call may have stored it meanwhile, or somebody has deleted it.
    if (state === "received") files.setState(file, recorded.is === "new" ? "stored" : "dropped");
    if (recorded.is !== "new") return recorded;
    return state === undefined || state === "removing" ? { is: "gone" } : undefined;
  }

  /** Reads a file to its end. A reading that was cut off before begins again. */
  async read(file: StoredFile): Promise<void> {
    const { files } = this.#ports;
    await this.#deleteProvisional();
    if (files.find(file.id)?.state !== "stored") return;
    if (file.attempts >= ATTEMPTS_MAX) {
      files.judge(file, { isRead: false, format: undefined, refusal: POISONED });
      return;
    }
    files.countAttempt(file, 1);
    let verdict: Verdict;
    try {
      verdict = await this.#readLines(file);
    } catch (error) {
      if (error instanceof FileWithdrawn) return;
      if (isStorageFull(error)) files.countAttempt(file, -1);
      throw error;
    }
    if (!verdict.isRead) await this.#deleteProvisional();
    if (files.find(file.id)?.state !== "stored") return;
    files.judge(file, verdict, this.#ports.lines.behind(files.readyTo()));
  }

  /** Stores what has become of a file. Returns its end. */
  async finish(file: StoredFile): Promise<Ending> {
    const { env, files } = this.#ports;
    const verdict = present(file.verdict, "a judged file has its verdict");
    const refusal = await recordVerdict(env, recordOf(file), verdict);
    if (files.find(file.id)?.state !== "judged") return { is: "gone" };
    files.setState(file, refusal === undefined ? "ready" : "dropped");
    return refusal === undefined ? { is: "ready" } : { is: "refused", refusal };
  }

  /** Deletes the head of a file that somebody deletes. */
  async remove(file: StoredFile): Promise<void> {
    const { env, files } = this.#ports;
    await recordRemoval(env, file.id, present(file.removal, "somebody deletes the file"));
    if (files.find(file.id)?.state === "removing") files.setState(file, "dropped");
  }

  /** Deletes a file with its lines, in slices. */
  async drop(file: StoredFile): Promise<void> {
    const { env, files, lines, rest } = this.#ports;
    const { firstLine, lastLine, spec } = file;
    if (firstLine !== undefined && lastLine !== undefined) {
      while (!lines.deleteSome({ first: firstLine, last: lastLine })) await rest();
    }
    const bucket = statementBucketOf(env);
    if (bucket !== undefined && spec !== undefined && file.isInBucket) {
      await bucket.delete(bucketKey(spec.sourceId, file.id));
    }
    files.forget(file);
  }

  /** Moves the bytes of files that are ready to the bucket, if there is one. */
  async moveToBucket(): Promise<void> {
    const { env, files, rest } = this.#ports;
    const bucket = statementBucketOf(env);
    if (bucket === undefined) return;
    for (;;) {
      const file = files.firstOutsideBucket();
      if (file?.spec === undefined) return;
      const key = bucketKey(file.spec.sourceId, file.id);
      await putFile(bucket, key, { bytes: file.bytes, pieces: this.#pieces(file) });
      const now = files.find(file.id);
      if (now === undefined) await bucket.delete(key);
      else files.movedToBucket(now);
      await rest();
    }
  }

  async #readLines(file: StoredFile): Promise<Verdict> {
    const { files, lines, decimalsOf, rest } = this.#ports;
    let batch: UnstoredLine[] = [];
    const flush = async (): Promise<void> => {
      lines.add(file.key, batch);
      batch = [];
      await rest();
      if (files.find(file.id)?.state !== "stored") throw new FileWithdrawn();
    };
    const sink = {
      decimalsOf,
      add: (line: UnstoredLine) => (batch.push(line) < BATCH_LINES ? undefined : flush()),
    };
    const verdict = await readFile(this.#chunks(file), specOf(file).reading, sink);
    if (verdict.isRead && batch.length > 0) await flush();
    return verdict;
  }

  /** Deletes lines of a reading that was cut off, or of a file that is refused. */
  async #deleteProvisional(): Promise<void> {
    const { files, lines, rest } = this.#ports;
    for (;;) {
      const range = lines.behind(files.readyTo());
      if (range === undefined || lines.deleteSome(range)) return;
      await rest();
    }
  }

  async *#chunks(file: StoredFile): AsyncGenerator<Uint8Array> {
    yield* this.#pieces(file);
  }

  *#pieces(file: StoredFile): Generator<Uint8Array> {
    for (let place = 0; place < file.pieces; place++) {
      const piece = this.#ports.files.piece(file, place);
      // The file was deleted meanwhile.
      if (piece === undefined) throw new FileWithdrawn();
      yield piece;
    }
  }
}

/** Somebody has deleted the file that is being read. */
class FileWithdrawn extends Error {
  override readonly name = "FileWithdrawn";
}

const POISONED: StatementRefusal = {
  kind: "UNSUPPORTED",
  message: `Reading the file has failed ${ATTEMPTS_MAX} times for another reason than its content; upload it again, or a smaller part of it.`,
};

const specOf = ({ spec }: StoredFile): FileSpec =>
  present(spec, "a file that has arrived has a spec");

const recordOf = (file: StoredFile) => ({ id: file.id, bytes: file.bytes, spec: specOf(file) });
