import { describe, expect, test } from "vitest";
import { balanceOf, freshLedger, logIdsOf, refusalOf } from "#test/support/ledger/api.ts";
import { SCRIPT_STREAM, sendStream, stream, SKIPPED } from "#test/support/ledger/bulk-streams.ts";

const sendMoney = (amount: number, way: string): string => {
  const [source, destination] = way.split(" -> ");
  return `send [USD ${amount}] (\n  source = @${source}\n  destination = @${destination}\n)`;
};

const scripts = (ledger: string, body: string, query = "") =>
  stream(ledger, body, { query, type: SCRIPT_STREAM });

describe("a stream of scripts", () => {
  test("a stream of scripts runs each script, with its key", async () => {
    const ledger = await freshLedger();
    const body = [
      "//script",
      sendMoney(100, "world -> a"),
      "//end",
      "",
      "//script ik=one",
      sendMoney(40, "a -> b"),
      "//end",
    ].join("\n");
    const first = await scripts(ledger, body);
    expect([first.status, first.results]).toEqual([200, [1, 2]]);
    expect(first.body.data.map(({ responseType }) => responseType)).toEqual([
      "CREATE_TRANSACTION",
      "CREATE_TRANSACTION",
    ]);
    const replay = await scripts(ledger, `//script ik=one\r\n${sendMoney(40, "a -> b")}`);
    expect(replay.body.data).toEqual([first.body.data[1]]);
    const other = await scripts(ledger, `//script ik=one\n${sendMoney(41, "a -> b")}`);
    expect(other.results).toEqual(["VALIDATION"]);
    expect(await balanceOf(ledger, "b")).toBe(40);
  });

  test("a stream of scripts refuses an empty script and one that does not compile, but only in their turn", async () => {
    const ledger = await freshLedger();
    const body = `//script\nnonsense\n//end\n//script\n//end\n//script\n${sendMoney(1, "world -> a")}`;
    const stopped = await scripts(ledger, body);
    expect(stopped.results).toEqual(["COMPILATION_FAILED", SKIPPED, SKIPPED]);
    const { status, results } = await scripts(ledger, body, "?continueOnFailure=true");
    expect(status).toBe(400);
    expect(results).toEqual(["COMPILATION_FAILED", "COMPILATION_FAILED", 1]);
  });

  test.each([
    ["text between the scripts", "send [USD 1] ("],
    ["an unknown option", "//script tx=1"],
    ["a repeated key", "//script ik=a,ik=b"],
    ["a key without a value", "//script ik"],
    ["a line that is too long", `//script\n${"x".repeat(70_000)}`],
    ["U+0000", "//script\n\0"],
  ])("a stream of scripts that is broken by %s keeps the scripts before it", async (_, broken) => {
    const before = `//script\n${sendMoney(1, "world -> a")}\n//end\n`;
    const ledger = await freshLedger();
    const { status, body, results } = await scripts(ledger, before + broken);
    expect([status, results, body.errorCode]).toEqual([400, [1], "VALIDATION"]);
    expect(body.errorMessage).toMatch(/^\[VALIDATION\] element 1: /);
    const atomic = { query: "?atomic=true", type: SCRIPT_STREAM };
    expect(await refusalOf(sendStream(ledger, before + broken, atomic))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
    expect(await logIdsOf(ledger)).toEqual([1]);
  });

  test("a stream of scripts is atomic if the request says so", async () => {
    const ledger = await freshLedger();
    const good = `//script\n${sendMoney(1, "world -> a")}\n//end\n`;
    const short = `//script\n${sendMoney(1, "nobody -> a")}\n//end\n`;
    const { status, results } = await scripts(ledger, good + short, "?atomic=true");
    expect([status, results]).toEqual([400, [1, "INSUFFICIENT_FUND"]]);
    expect(await logIdsOf(ledger)).toEqual([]);
    expect((await scripts(ledger, good + good, "?atomic=true")).status).toBe(200);
  });
});
