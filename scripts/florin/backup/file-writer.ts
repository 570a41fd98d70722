import { createHash } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { constants, createGzip, type Gzip } from "node:zlib";
import { syncFolder } from "./sync-folder.ts";
import type { BackupFile, DescribedFile } from "#platform/backup/saving/part-folder.ts";

/** Writes one compressed file of a backup, under another name until it is complete. Only its owner may read the file. */
export class FileWriter implements BackupFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #gzip: Gzip;
  readonly #output: WriteStream;
  readonly #hash = createHash("sha256");
  readonly #written: Promise<void>;
  #bytes = 0;
  /** Whether the file is complete or has failed, and what a write waits for. */
  #isOver = false;
  #goOn: () => void = () => undefined;

  /** `temporary` is the name of the file until it is complete. */
  constructor(folder: string, temporary: string) {
    this.#folder = folder;
    this.#path = join(folder, temporary);
    // The texts of logs repeat themselves, so that a fast level leaves little to win for others.
    this.#gzip = createGzip({ level: constants.Z_BEST_SPEED });
    this.#output = createWriteStream(this.#path, { mode: 0o600, flush: true });
    this.#gzip.on("data", (chunk: Buffer) => {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
    });
    this.#gzip.on("drain", () => this.#goOn());
    this.#gzip.pipe(this.#output);
    // An error is thrown by `close`, and must not end the process before.
    this.#written = Promise.all([finished(this.#gzip), finished(this.#output)]).then(
      () => undefined,
    );
    const end = (): void => {
      this.#isOver = true;
      this.#goOn();
    };
    this.#written.then(end, end);
  }

  /** Writes bytes, and resolves when the next ones may come. */
  async write(chunk: Uint8Array | string): Promise<void> {
    if (this.#isOver) await this.#written;
    if (chunk.length === 0 || this.#gzip.write(chunk)) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
    if (this.#isOver) await this.#written;
  }

  /** Completes the file under a name. */
  async close(file: string): Promise<DescribedFile> {
    this.#gzip.end();
    await this.#written;
    await rename(this.#path, join(this.#folder, file));
    syncFolder(this.#folder);
    return { file, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  /** Gives a file up that is not complete. */
  destroy(): void {
    this.#gzip.destroy();
    this.#output.destroy();
  }
}
