import { describe, expect, test, vi } from "vitest";
import type { ImportBatch, ImportOutcome } from "#ledger-engine/write/log-importer.ts";
import { IMPORT_BYTES_MAX, IMPORT_ENTRIES_MAX } from "#modules/ledger/bulk/limits.ts";
import { importInBatches } from "#modules/ledger/bulk/log-import.ts";
import { AppError } from "#platform/errors.ts";
import { JSON_DEPTH_MAX } from "#platform/json-depth.ts";
import { bytesOf, chunksOf, oneByOne } from "#test/support/platform/streams.ts";

/** A ledger that accepts all entries, or as many as a test allows, and records the entries that it gets. */
class FakeLedger {
  readonly batches: ImportBatch[] = [];
  readonly taken: string[] = [];
  calls = 0;
  underWay = 0;
  /** The most entries that one call accepts. */
  most = Number.POSITIVE_INFINITY;
  /** The entry that the ledger refuses. */
  refused: string | undefined;

  readonly send = async ({ texts, before }: ImportBatch): Promise<ImportOutcome> => {
    this.calls++;
    if (++this.underWay > 1) throw new Error("two calls at once");
    if (before !== this.taken.length) throw new Error(`${before} entries are said to be taken`);
    if (texts.length > 0) this.batches.push({ texts, before });
    await Promise.resolve();
    this.underWay--;
    const wanted = texts.slice(0, this.most);
    const at = this.refused === undefined ? -1 : wanted.indexOf(this.refused);
    const taken = at === -1 ? wanted : wanted.slice(0, at);
    this.taken.push(...taken);
    const failure = { kind: "IMPORT", message: "refused" } as const;
    return { taken: taken.length, ...(at === -1 ? {} : { failure }) };
  };
}

async function* streamOf(chunks: readonly Uint8Array[], error?: Error): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (error !== undefined) throw error;
}

const entries = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `{"id":${index},"k":"é}{"}`);

/** Imports chunks; returns the error of a refused import. */
async function importing(
  ledger: FakeLedger,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Partial<AppError> | undefined> {
  try {
    await importInBatches(chunks, ledger.send);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind, message, details } = error;
    return details === undefined ? { kind, message } : { kind, message, details };
  }
}

describe("an import", () => {
  test.each(["", "\n", " \r\n\t"])(
    "an import accepts all entries in order, whatever is between them: %j",
    async (between) => {
      const texts = entries(1234);
      const bytes = bytesOf(texts.join(between));
      for (const chunks of [
        [bytes],
        chunksOf(
          bytes,
          Array.from({ length: 300 }, () => 37),
        ),
      ]) {
        const ledger = new FakeLedger();
        expect(await importing(ledger, streamOf(chunks))).toBeUndefined();
        expect(ledger.taken).toEqual(texts);
      }
    },
  );

  test("an import accepts entries that come byte by byte", async () => {
    const ledger = new FakeLedger();
    const texts = entries(20);
    await importing(ledger, streamOf(oneByOne(bytesOf(texts.join("\n")))));
    expect(ledger.taken).toEqual(texts);
  });

  test.each(["", " \n "])("an import of %j imports nothing", async (text) => {
    const ledger = new FakeLedger();
    expect(await importing(ledger, streamOf([bytesOf(text)]))).toBeUndefined();
    expect(ledger.batches).toEqual([]);
  });

  test("an import sends batches of bounded number and size, one at a time", async () => {
    const ledger = new FakeLedger();
    await importing(ledger, streamOf([bytesOf(entries(IMPORT_ENTRIES_MAX + 1000).join(""))]));
    const large = Array.from({ length: 60 }, () => `{"k":"${"x".repeat(200_000)}"}`);
    await importing(new FakeLedger(), streamOf([]));
    const other = new FakeLedger();
    await importing(other, streamOf([bytesOf(large.join(""))]));
    expect(Math.max(...ledger.batches.map(({ texts }) => texts.length))).toBe(IMPORT_ENTRIES_MAX);
    for (const { texts } of other.batches) {
      expect(texts.join("").length).toBeLessThan(IMPORT_BYTES_MAX + 200_100);
    }
    expect(other.taken).toEqual(large);
  });

  test("an import sends the rest again if a call accepts only some entries", async () => {
    const ledger = new FakeLedger();
    ledger.most = 7;
    const texts = entries(100);
    expect(await importing(ledger, streamOf([bytesOf(texts.join(""))]))).toBeUndefined();
    expect(ledger.taken).toEqual(texts);
  });

  test("an import sends what has arrived while the client pauses", async () => {
    const ledger = new FakeLedger();
    const texts = entries(4);
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield bytesOf(texts.slice(0, 2).join("\n"));
      await expect.poll(() => ledger.taken).toEqual(texts.slice(0, 2));
      yield bytesOf(texts.slice(2).join("\n"));
    }
    expect(await importing(ledger, slowly())).toBeUndefined();
    expect(ledger.taken).toEqual(texts);
  });
});

describe("an import ends", () => {
  const texts = entries(5);

  test("an import ends with the entry that is refused, and those before it are kept", async () => {
    const ledger = new FakeLedger();
    ledger.refused = texts[3];
    for (const chunks of [[bytesOf(texts.join(""))], texts.map(bytesOf)]) {
      ledger.taken.length = 0;
      const failure = await importing(ledger, streamOf(chunks));
      expect(failure).toEqual({ kind: "IMPORT", message: "refused" });
      expect(ledger.taken).toEqual(texts.slice(0, 3));
    }
  });

  test("an import ends with the entry that is refused, however long the next ones take to come", async () => {
    vi.useFakeTimers();
    try {
      const ledger = new FakeLedger();
      ledger.refused = texts[1];
      async function* slowly(): AsyncGenerator<Uint8Array> {
        for (const part of [texts.slice(0, 2), texts.slice(2)]) {
          yield bytesOf(part.join(""));
          await vi.advanceTimersByTimeAsync(60_000);
        }
      }
      expect((await importing(ledger, slowly()))?.message).toBe("refused");
      expect(ledger.taken).toEqual(texts.slice(0, 1));
      // The first call asks whether the ledger accepts an import.
      expect(ledger.calls).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ["oops", "VALIDATION", "entry 6 is not valid JSON", 'expected an object, as `{"type": …}`'],
    ["[{}]", "VALIDATION", "entry 6 is not valid JSON", 'expected an object, as `{"type": …}`'],
    ['{"id":', "VALIDATION", "entry 6 is not valid JSON", "the stream ends inside of it"],
    ["[", "VALIDATION", "entry 6 is not valid JSON", 'expected an object, as `{"type": …}`'],
    [
      "{".repeat(JSON_DEPTH_MAX + 1),
      "VALIDATION",
      "entry 6 is not valid JSON",
      `it is nested deeper than ${JSON_DEPTH_MAX} levels`,
    ],
  ])("an import ends at a broken body, and entries before it are kept: %s", async (...given) => {
    const [broken, kind, message, details] = given;
    const ledger = new FakeLedger();
    const failure = await importing(ledger, streamOf([bytesOf(texts.join("") + broken)]));
    expect(failure).toEqual({ kind, message, ...(details === undefined ? {} : { details }) });
    expect(ledger.taken).toEqual(texts);
  });

  test("an import ends with an entry that is too large", async () => {
    const ledger = new FakeLedger();
    const large = `{"k":"${"x".repeat(4 * 1024 * 1024)}"}`;
    expect(await importing(ledger, streamOf([bytesOf(texts.join("") + large)]))).toEqual({
      kind: "IMPORT",
      message: "importing logs: entry 6: it is larger than 4194304 bytes",
    });
    expect(ledger.taken).toEqual(texts);
  });

  test("an import ends where the client disconnects, and complete entries are kept", async () => {
    const ledger = new FakeLedger();
    const gone = new AppError("VALIDATION", "the body broke off");
    const chunks = [bytesOf(`${texts.join("")}{"id":`)];
    expect(await importing(ledger, streamOf(chunks, gone))).toEqual({
      kind: "VALIDATION",
      message: "the body broke off",
    });
    expect(ledger.taken).toEqual(texts);
  });

  test("an import ends with the refused entry if the body is broken after it", async () => {
    const ledger = new FakeLedger();
    ledger.refused = texts[4];
    const failure = await importing(ledger, streamOf([bytesOf(`${texts.join("")}oops`)]));
    expect(failure?.message).toBe("refused");
  });

  test("an import ends at once if the ledger accepts no import, and the body is closed", async () => {
    let isLeft = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield bytesOf(texts.join(""));
      } finally {
        isLeft = true;
      }
    }
    const send = async (): Promise<ImportOutcome> => {
      throw new AppError("LEDGER_NOT_FOUND", "ledger not found");
    };
    await expect(importInBatches(body(), send)).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
    expect(isLeft).toBe(true);
  });

  test("an import ends with an error of a call, and sends nothing more", async () => {
    let calls = 0;
    const send = async ({ texts: sent }: ImportBatch): Promise<ImportOutcome> => {
      if (++calls > 1) throw new Error("cut off");
      return { taken: sent.length };
    };
    await expect(
      importInBatches(streamOf([bytesOf(entries(5000).join(""))]), send),
    ).rejects.toThrow("cut off");
    expect(calls).toBe(2);
  });
});
