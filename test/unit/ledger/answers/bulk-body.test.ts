import { describe, expect, test } from "vitest";
import type { BulkElement, Command, Outcome } from "#ledger-engine";
import { toTransactionView } from "#ledger-engine/rules/views.ts";
import { writeBulk } from "#modules/ledger/answers/bulk-body.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";
import {
  create,
  deleteMetadata,
  posting,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

describe("the answer to a bulk", () => {
  const NOT_FOUND: Result<Outcome> = {
    ok: false,
    failure: { kind: "NOT_FOUND", message: "transaction 9 not found" },
  };
  const failedResult = (errorCode: string, errorDescription: string) => ({
    errorCode,
    errorDescription,
    responseType: "ERROR",
    logID: 0,
  });
  /** The elements of a bulk with the given commands. */
  const elementsOf = (...commands: Command[]): BulkElement[] =>
    commands.map((value) => ({ idempotencyKey: "", command: { ok: true, value } }));
  const committed = (logId: number): Result<Outcome> => ({
    ok: true,
    value: { logId, isReplay: false },
  });

  test("the answer to a bulk has a result for each element and repeats the first failure at the top", () => {
    const elements = elementsOf(create(posting("world -> a", 1)), setMetadata(9, {}), revert(1));
    const { body, isDone } = writeBulk(elements, [committed(7), NOT_FOUND], "integer");
    expect(isDone).toBe(false);
    expect(JSON.parse(body)).toEqual({
      data: [
        { responseType: "CREATE_TRANSACTION", logID: 7 },
        failedResult("NOT_FOUND", "transaction 9 not found"),
        failedResult("INTERNAL", "context canceled"),
      ],
      errorCode: "NOT_FOUND",
      errorMessage: "[NOT_FOUND] transaction 9 not found",
    });
  });

  test("the answer to a bulk names the action that each command was asked for with", () => {
    const elements = elementsOf(
      create(posting("world -> a", 1)),
      script("send [USD 1] (source = @world destination = @a)"),
      revert(1),
      setMetadata(1, { k: "v" }),
      deleteMetadata("a", "k"),
    );
    const results = elements.map((_, index) => committed(index + 1));
    const { data } = JSON.parse(writeBulk(elements, results, "integer").body) as {
      data: object[]; // every answer to a bulk has this shape
    };
    expect(data).toEqual([
      { responseType: "CREATE_TRANSACTION", logID: 1 },
      { responseType: "CREATE_TRANSACTION", logID: 2 },
      { responseType: "REVERT_TRANSACTION", logID: 3 },
      { responseType: "ADD_METADATA", logID: 4 },
      { responseType: "DELETE_METADATA", logID: 5 },
    ]);
  });

  test("the answer to a bulk writes amounts of any size, as integers or as texts", () => {
    const command = create(posting("world -> a", 5n ** 30n), { reference: 'r"' });
    const transaction = new TestLedger().commit(command);
    const results: Result<Outcome>[] = [
      { ok: true, value: { logId: 1, isReplay: false, transaction } },
    ];
    const { body, isDone } = writeBulk(elementsOf(command), results, "integer");
    const [data, responseType] = [toTransactionView(transaction), "CREATE_TRANSACTION"];
    expect(body).toBe(stringifyJson({ data: [{ data, responseType, logID: 1 }] }));
    expect(isDone).toBe(true);
    const { body: inTexts } = writeBulk(elementsOf(command), results, "text");
    expect(inTexts).toContain(`"amount":"${5n ** 30n}"`);
  });

  test("the answer to a bulk is an empty list for an empty bulk", () => {
    expect(writeBulk([], [], "integer")).toEqual({ body: '{"data":[]}', isDone: true });
  });
});
