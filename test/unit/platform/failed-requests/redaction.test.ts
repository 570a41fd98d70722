import { describe, expect, test } from "vitest";
import { redact, type RequestTexts } from "#platform/failed-requests/redaction.ts";

const REQUEST: RequestTexts = { body: undefined, query: "", headers: [], path: "/" };
const SECRET = "sk_live_4242-aB3dE5fG7hI9";

const messageOf = (message: string, request: Partial<RequestTexts>, ...fields: string[]) =>
  redact(message, fields, { ...REQUEST, ...request }).message;

const bodyOf = (body: unknown, ...fields: string[]) =>
  redact("", fields, { ...REQUEST, body: typeof body === "string" ? body : JSON.stringify(body) })
    .body;

describe("of a body", () => {
  test("of a body, only the allowed fields are kept, in its form", () => {
    const body = {
      reference: "r-1",
      postings: [
        { source: "world", amount: 5, note: SECRET },
        { source: "bank", amount: 6 },
      ],
      script: { plain: SECRET, template: "pay" },
      metadata: { reference: SECRET },
    };
    const fields = ["reference", "postings.source", "postings.amount", "script.template"];
    expect(JSON.parse(bodyOf(body, ...fields) ?? "")).toEqual({
      reference: "r-1",
      postings: [
        { source: "world", amount: 5 },
        { source: "bank", amount: 6 },
      ],
      script: { template: "pay" },
    });
    expect(bodyOf(body)).toBeUndefined();
  });

  test("of a body, an object in place of an allowed text is not kept", () => {
    expect(bodyOf({ reference: { [SECRET]: SECRET } }, "reference")).toBeUndefined();
    expect(bodyOf({ reference: [[SECRET]], a: 1 }, "a")).toBe('{"a":1}');
    expect(bodyOf({ postings: SECRET }, "postings.amount")).toBeUndefined();
  });

  test("of a body, numbers of any size are kept as they are", () => {
    const text = '{"amount":123456789012345678901234567890,"b":1.50}';
    expect(bodyOf(text, "amount", "b")).toBe(text);
  });

  test("of a body, long texts and lists are shortened, and very many fields are left out", () => {
    const short = bodyOf(
      { a: "x".repeat(10_000), b: Array.from({ length: 50 }, String) },
      "a",
      "b",
    );
    expect(short?.length).toBeLessThan(400);
    const postings = Array.from({ length: 10 }, () => ({ a: "x".repeat(500), b: "y".repeat(500) }));
    expect(bodyOf({ postings }, "postings.a", "postings.b", "postings.c")).toBeUndefined();
  });

  test("of a body that is no JSON, nothing is kept", () => {
    expect(bodyOf(`{"reference":"${SECRET}"`, "reference")).toBeUndefined();
    expect(bodyOf("", "reference")).toBeUndefined();
  });

  test("of a body, members of prototypes are no fields", () => {
    expect(bodyOf({}, "constructor.name", "__proto__.x")).toBeUndefined();
  });
});

describe("in a message", () => {
  const body = (value: unknown) => ({ body: JSON.stringify(value) });

  test("in a message, texts of the request are hidden, wherever they stand in it", () => {
    const text = `'${SECRET}' is no key`;
    const hidden = "'***' is no key";
    expect(messageOf(text, body({ deep: [{ key: SECRET }] }))).toBe(hidden);
    expect(messageOf(text, body({ [SECRET]: 1 }))).toBe(hidden);
    expect(messageOf(text, { body: `{"broken": "${SECRET}"` })).toBe(hidden);
    expect(messageOf(text, { query: `a=${SECRET}` })).toBe(hidden);
    expect(messageOf(text, { query: `${SECRET}=a` })).toBe(hidden);
    expect(messageOf(text, { headers: [SECRET] })).toBe(hidden);
    expect(messageOf(text, body({ plain: `set_tx_meta("k", "${SECRET}")` }))).toBe(hidden);
    expect(messageOf(text, body({ plain: `send @${SECRET} (x)` }))).toMatch(/is no key$/);
    expect(messageOf(text, body({ plain: `send @${SECRET} (x)` }))).not.toContain("4242");
  });

  test("in a message, a shortened, an escaped and a lower-case text are hidden, too", () => {
    const key = body({ key: `${SECRET}${"z".repeat(200)}` });
    expect(messageOf(`no ${SECRET}zzz…`, key)).toBe("no ***…");
    expect(messageOf(`no ${SECRET.toLowerCase()}`, body({ key: SECRET }))).toBe("no ***");
    const quoted = 'pa"ss\\word1';
    expect(messageOf(`no ${JSON.stringify(quoted)}`, body({ key: quoted }))).toBe('no "***"');
  });

  test("in a message, numbers as long as those of cards are hidden", () => {
    const text = "4111111111111111 is no account";
    expect(messageOf(text, { body: '{"n": 4111111111111111}' })).toBe("*** is no account");
    expect(messageOf("5 is too few", { body: '{"n": 5}' })).toBe("5 is too few");
  });

  test("in a message, recorded fields and texts of the path are shown", () => {
    const request = { ...body({ reference: "r-17", pin: "abc" }), path: "/ledgers/shop%201" };
    const text = "the reference r-17 of 'shop 1' is taken, abc";
    expect(messageOf(text, request, "reference")).toBe(text.replace("abc", "***"));
  });

  test("in a message, parts of other words stay", () => {
    expect(messageOf("the amount is not amounting", body({ x: "amount" }))).toBe(
      "the *** is not amounting",
    );
  });

  test("in a message of a request with too many texts, there is nothing", () => {
    const many = Array.from({ length: 3000 }, (_item, index) => `text-${index}`);
    expect(messageOf("no", body(many))).toBeUndefined();
  });

  test("in a message, an unpaired surrogate is replaced, and its length is bounded", () => {
    const message = messageOf(`${"x".repeat(499)}😀${"y".repeat(90_000)}`, {}) ?? "";
    expect(message.length).toBe(500);
    expect(message.isWellFormed()).toBe(true);
  });
});
