import { describe, expect, test } from "vitest";
import type { LedgerEngine } from "#ledger-engine";
import { AnswerServer } from "#modules/ledger/answers/answer-server.ts";
import { type ReadCall, toCallText } from "#modules/ledger/answers/read-call.ts";
import { SlicedReads } from "#modules/ledger/answers/sliced-reads.ts";
import { bodyOf, NOT_MODIFIED, versionOf } from "#modules/ledger/answers/versioned-body.ts";
import type { Failure } from "#platform/errors.ts";
import { ALL } from "#test/support/ledger-engine/fixtures.ts";

const LOGS: ReadCall = { name: "listLogs", args: [ALL], amounts: "integer" };

/** An engine whose log has a head, and which counts its reads. */
class FakeEngine {
  headLogId = 7;
  count = 0;
  readonly reads = {
    listLogs: () => {
      this.count++;
      return { data: [], pageSize: 15, hasMore: false };
    },
    findTransaction: () => undefined,
  };
}

const serverOf = (engine: FakeEngine | Failure, charactersMax?: number): AnswerServer => {
  const result =
    engine instanceof FakeEngine
      ? { ok: true as const, value: engine as unknown as LedgerEngine } // the server uses these members only
      : { ok: false as const, failure: engine };
  return new AnswerServer(new SlicedReads(() => result), charactersMax);
};

async function ask(server: AnswerServer, call = LOGS, knownVersion = ""): Promise<string> {
  const answer = await server.answer(toCallText(call), knownVersion);
  if (typeof answer !== "string") throw new Error("the answer is no text");
  return answer;
}

describe("the answers of a ledger's object", () => {
  test("an answer is read once until the log has a further entry", async () => {
    const engine = new FakeEngine();
    const server = serverOf(engine);
    const first = await ask(server);
    expect(bodyOf(first)).toContain('"data":[]');
    expect(await ask(server)).toBe(first);
    expect(engine.count).toBe(1);
    engine.headLogId = 8;
    const next = await ask(server);
    expect(versionOf(next)).not.toBe(versionOf(first));
    expect(engine.count).toBe(2);
  });

  test("a caller that has the answer of the version is told that the ledger has not changed", async () => {
    const engine = new FakeEngine();
    const server = serverOf(engine);
    const version = versionOf(await ask(server));
    expect(await ask(server, LOGS, version)).toBe(NOT_MODIFIED);
    engine.headLogId = 8;
    expect(await ask(server, LOGS, version)).not.toBe(NOT_MODIFIED);
  });

  test("no log has the version of another one, nor of itself before it was opened again", async () => {
    const engine = new FakeEngine();
    const versions = [
      versionOf(await ask(serverOf(engine))),
      versionOf(await ask(serverOf(engine))),
      versionOf(await ask(serverOf(new FakeEngine()))),
    ];
    expect(new Set(versions).size).toBe(3);
  });

  test("the cache has room for so many characters, and the oldest answers make room", async () => {
    const engine = new FakeEngine();
    const text = { ...LOGS, amounts: "text" } as const;
    const { length } = toCallText(LOGS) + (await ask(serverOf(engine)));
    const server = serverOf(engine, length + 10);
    for (const call of [LOGS, LOGS, text, text, LOGS]) await ask(server, call);
    expect(engine.count).toBe(1 + 3);
  });

  test("a result that is no whole answer, and a ledger that cannot be read, give a result", async () => {
    const single: ReadCall = { name: "findTransaction", args: [1, {}], amounts: "integer" };
    const missing = await serverOf(new FakeEngine()).answer(toCallText(single), "");
    expect(missing).toEqual({ ok: true, value: undefined });
    const failure = { kind: "LEDGER_NOT_FOUND", message: "ledger not found" } as const;
    expect(await serverOf(failure).answer(toCallText(LOGS), "")).toEqual({ ok: false, failure });
  });
});
