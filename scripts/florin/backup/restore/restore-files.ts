import { open } from "node:fs/promises";
import { z } from "zod";
import type { Restoring } from "./restore-database.ts";
import type { SavedKeptFile } from "#platform/backup/saving/kept-files.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** How often the bytes of a file are sent, where they did not arrive as they are. */
const TRIES = 3;

const Progress = z.object({
  data: z.object({
    state: z.enum(["open", "complete", "left-out"]),
    pieces: z.int(),
    pieceBytes: z.int(),
  }),
});

/** The saved files of objects, and where their bytes are. */
export class ObjectFiles {
  readonly #folder: BackupFolder;
  readonly #files: ReadonlyMap<string, readonly SavedKeptFile[]>;

  constructor(folder: BackupFolder, files: readonly SavedKeptFile[]) {
    this.#folder = folder;
    this.#files = Map.groupBy(files, ({ class: className, object }) => keyOf(className, object));
  }

  /**
   * Restores the files of an object whose rows have come. A file that has come already is not sent again, and one that was cut off goes on
   * behind the pieces that are there. One that the object does not need is left out.
   */
  async restore(restoring: Restoring, className: string, object: string): Promise<void> {
    for (const file of this.#files.get(keyOf(className, object)) ?? []) {
      await this.#restoreFile(restoring, file);
    }
  }

  async #restoreFile({ api, path }: Restoring, saved: SavedKeptFile): Promise<void> {
    const { class: className, object: name, file, bytes, sha256 } = saved;
    const query = { class: className, name };
    const begin = () =>
      api.call({
        method: "POST",
        path: `${path}/objects/files`,
        query,
        body: { file, bytes, sha256 },
        answer: Progress,
      });
    for (let tries = 0; tries < TRIES; tries++) {
      const { state, pieces, pieceBytes } = (await withPatience(begin)).data;
      if (state !== "open") return;
      for await (const piece of this.#piecesOf(saved, { from: pieces, pieceBytes })) {
        await withPatience(() =>
          api.send({
            method: "POST",
            path: `${path}/objects/files/pieces`,
            query: { ...query, file, place: String(piece.place) },
            contentType: "application/octet-stream",
            body: piece.bytes,
          }),
        );
      }
    }
    if ((await withPatience(begin)).data.state !== "open") return;
    throw new OperatorError(
      `The bytes of the file '${file}' of the object '${name}' do not arrive as they are in the backup.`,
    );
  }

  /** The pieces of a file, from one on. */
  async *#piecesOf(
    { sha256, bytes }: SavedKeptFile,
    { from, pieceBytes }: { readonly from: number; readonly pieceBytes: number },
  ): AsyncGenerator<{ readonly place: number; readonly bytes: Uint8Array<ArrayBuffer> }> {
    const input = await open(this.#folder.bytes(sha256));
    try {
      for (let place = from; place * pieceBytes < bytes; place++) {
        const at = place * pieceBytes;
        const piece = new Uint8Array(Math.min(pieceBytes, bytes - at));
        const { bytesRead } = await input.read(piece, 0, piece.length, at);
        yield { place, bytes: piece.subarray(0, bytesRead) };
      }
    } finally {
      await input.close();
    }
  }
}

const keyOf = (className: string, object: string): string => `${className}/${object}`;
