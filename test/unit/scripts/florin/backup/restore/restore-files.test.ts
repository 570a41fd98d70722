import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import type { SavedKeptFile } from "#platform/backup/saving/kept-files.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import type { Restoring } from "#scripts/florin/backup/restore/restore-database.ts";
import { ObjectFiles } from "#scripts/florin/backup/restore/restore-files.ts";
import type { Api, ApiRequest, RawRequest } from "#scripts/lib/api.ts";

const PIECE = 4;

/** A server that takes files in pieces of four bytes, and compares them with their hashes at the end. */
class FakeServer {
  readonly wanted = new Map<string, { bytes: number; sha256: string }>();
  readonly pieces = new Map<string, Buffer[]>();
  readonly requests: string[] = [];
  /** How often the bytes of a file arrive as others. */
  spoilt = 0;
  leftOut = "";

  readonly restoring: Restoring = {
    api: {
      call: async (request: ApiRequest<z.ZodType>) => this.#begin(request),
      send: async (request: RawRequest) => this.#take(request),
    } as unknown as Api, // the command calls nothing else
    path: "/restorations/1",
    note: () => undefined,
  };

  #begin({ path, query, body }: ApiRequest<z.ZodType>): unknown {
    const { file, ...wanted } = body as { file: string; bytes: number; sha256: string };
    this.requests.push(`${path} ${query?.["class"]} ${query?.["name"]} ${file}`);
    this.wanted.set(file, wanted);
    const pieces = this.pieces.get(file) ?? [];
    const isComplete = pieces.length * PIECE >= wanted.bytes;
    const state = isComplete ? "complete" : "open";
    const shown = this.leftOut === file ? "left-out" : state;
    return { data: { state: shown, pieces: pieces.length, pieceBytes: PIECE } };
  }

  async #take({ path, query, body }: RawRequest): Promise<Response> {
    const file = query?.["file"] ?? "";
    this.requests.push(`${path} ${file} ${query?.["place"]}`);
    const pieces = this.pieces.get(file) ?? [];
    if (query?.["place"] !== String(pieces.length)) throw new Error("another piece comes next");
    pieces.push(Buffer.from(body as Uint8Array));
    const { bytes = 0, sha256 } = this.wanted.get(file) ?? {};
    const all = Buffer.concat(pieces);
    if (all.length === bytes) {
      const isSame = createHash("sha256").update(all).digest("hex") === sha256;
      if (!isSame || this.spoilt-- > 0) pieces.length = 0;
    }
    this.pieces.set(file, pieces);
    return new Response();
  }

  textOf(file: string): string {
    return Buffer.concat(this.pieces.get(file) ?? []).toString("utf8");
  }
}

/** Files of objects in a folder, by the names of the objects. */
function savedFiles(texts: Readonly<Record<string, readonly [object: string, text: string]>>) {
  const path = mkdtempSync(join(tmpdir(), "restore-files-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const folder = new BackupFolder(path);
  const files = Object.entries(texts).map(([file, [object, text]]): SavedKeptFile => {
    const sha256 = createHash("sha256").update(text).digest("hex");
    mkdirSync(dirname(folder.bytes(sha256)), { recursive: true });
    writeFileSync(folder.bytes(sha256), text);
    return { class: "Sources", object, file, bytes: text.length, sha256 };
  });
  return new ObjectFiles(folder, files);
}

test("the files of an object are sent in pieces of the length that the server says, and no others", async () => {
  const server = new FakeServer();
  server.leftOut = "late";
  const files = savedFiles({
    march: ["bank", "of March"],
    empty: ["bank", ""],
    late: ["bank", "of May"],
    other: ["other bank", "of April"],
  });
  await files.restore(server.restoring, "Sources", "bank");
  expect(server.textOf("march")).toBe("of March");
  expect([...server.pieces.keys()]).toEqual(["march"]);
  expect(server.requests).toContain("/restorations/1/objects/files Sources bank empty");
  await files.restore(server.restoring, "Sources", "unknown");
  await files.restore(server.restoring, "Others", "other bank");
  expect([...server.pieces.keys()]).toEqual(["march"]);
});

test("a file that was cut off goes on behind its pieces, and one that is there is not sent", async () => {
  const server = new FakeServer();
  server.pieces.set("march", [Buffer.from("of M")]);
  server.pieces.set("april", [Buffer.from("of A"), Buffer.from("pril")]);
  const files = savedFiles({ march: ["bank", "of March"], april: ["bank", "of April"] });
  await files.restore(server.restoring, "Sources", "bank");
  expect(server.textOf("march")).toBe("of March");
  expect(server.requests.filter((line) => line.includes("pieces"))).toEqual([
    "/restorations/1/objects/files/pieces march 1",
  ]);
});

test("bytes that arrive as others are sent again, but not for ever", async () => {
  const server = new FakeServer();
  server.spoilt = 2;
  const files = savedFiles({ march: ["bank", "of March"] });
  await files.restore(server.restoring, "Sources", "bank");
  expect(server.textOf("march")).toBe("of March");
  const other = new FakeServer();
  other.spoilt = 3;
  await expect(files.restore(other.restoring, "Sources", "bank")).rejects.toThrow(
    "The bytes of the file 'march' of the object 'bank' do not arrive as they are in the backup.",
  );
});
