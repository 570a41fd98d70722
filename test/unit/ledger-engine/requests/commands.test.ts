import { describe, expect, test } from "vitest";
import {
  assertIdempotencyKey,
  parseBulk,
  toBulkElement,
  toRevertTransaction,
  toTransactionCommand,
} from "#ledger-engine/requests/commands.ts";
import type { Command } from "#ledger-engine/rules/types.ts";
import { TransactionRequest } from "#modules/ledger/wire/schemas.ts";
import { parseJson } from "#platform/json.ts";
import { at, posting, refusalOf } from "#test/support/ledger-engine/fixtures.ts";

/** The command of the JSON body of a request. */
const commandOf = (text: string, force = false) =>
  toTransactionCommand(TransactionRequest.parse(parseJson(text)), { force });

const isForced = (text: string, force = false): boolean => {
  const command = commandOf(text, force);
  return command.kind === "createTransaction" && command.force;
};

const firstAmountOf = (text: string): bigint | undefined => {
  const command = commandOf(text);
  return command.kind === "createTransaction" ? command.postings[0]?.amount : undefined;
};

const withPosting = (members: string): string =>
  `{"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD",${members}}]}`;

const ONE = '"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD"}]';

describe("a request for a transaction", () => {
  test("a request for a transaction becomes a command with what was given and nothing else", () => {
    expect(commandOf(`{${ONE}}`)).toStrictEqual({
      kind: "createTransaction",
      postings: [posting("world -> a", 1)],
      metadata: {},
      force: false,
    });
  });

  test("a request for a transaction keeps every field", () => {
    const text = `{${ONE},"timestamp":"2026-03-01T10:30:00+01:00","reference":"inv-7","metadata":{"k":"v"},"accountMetadata":{"a":{"tier":"gold"}},"force":true,"runtime":"machine"}`;
    expect(commandOf(text)).toStrictEqual({
      kind: "createTransaction",
      postings: [posting("world -> a", 1)],
      timestamp: at("09:30"),
      reference: "inv-7",
      metadata: { k: "v" },
      accountMetadata: { a: { tier: "gold" } },
      force: true,
      runtime: "machine",
    });
  });

  test("a request for a transaction takes null and empty texts for fields that are not given", () => {
    const text = `{${ONE},"timestamp":null,"reference":"","metadata":null,"accountMetadata":null,"force":null,"runtime":"","script":{"plain":"","template":null,"vars":{}}}`;
    expect(commandOf(text)).toStrictEqual(commandOf(`{${ONE}}`));
    expect(commandOf(`{${ONE},"script":null,"reference":null}`)).toStrictEqual(
      commandOf(`{${ONE}}`),
    );
  });

  test("a request for a transaction is forced by the body or by the query", () => {
    expect(isForced(`{${ONE}}`, true)).toBe(true);
    expect(isForced(`{${ONE},"force":true}`)).toBe(true);
    expect(isForced(`{${ONE},"force":false}`, true)).toBe(true);
    expect(isForced(`{${ONE}}`)).toBe(false);
  });

  test.each(["{}", '{"postings":[]}', '{"postings":null}'])(
    "a request for a transaction needs a posting: %s",
    (text) => {
      expect(refusalOf(() => commandOf(text))).toBe("NO_POSTINGS");
    },
  );

  test("a request for a transaction with a template becomes a command to run it", () => {
    const text = '{"script":{"template":"pay","vars":{"n":12}},"reference":"r"}';
    expect(commandOf(text)).toStrictEqual({
      kind: "runScript",
      script: { plain: "", template: "pay", variables: { n: "12" } },
      reference: "r",
    });
  });

  test.each([
    [`${ONE},"script":{"plain":"fail"}`, "cannot pass postings and numscript"],
    [`${ONE},"script":{"template":"pay"}`, "cannot pass postings and template"],
    ['"script":{"plain":"fail","template":"pay"}', "cannot pass numscript and template"],
  ])("a transaction has only one of postings, script and template: %s", (members, message) => {
    expect(() => commandOf(`{${members}}`)).toThrow(message);
    expect(refusalOf(() => commandOf(`{${members}}`))).toBe("VALIDATION");
  });

  test("a request for a transaction with a script becomes a command to run it, without force", () => {
    const text = `{"script":{"plain":"fail","vars":{"a":"x","n":12}},"runtime":"experimental-interpreter","metadata":{"k":"v"},"force":true}`;
    expect(commandOf(text)).toStrictEqual({
      kind: "runScript",
      script: { plain: "fail", variables: { a: "x", n: "12" } },
      metadata: { k: "v" },
      runtime: "experimental-interpreter",
    });
    expect(commandOf('{"script":{"plain":"fail","vars":null}}')).toStrictEqual({
      kind: "runScript",
      script: { plain: "fail", variables: {} },
    });
  });

  test("a request for a transaction keeps integers of any size, and zero", () => {
    const huge = `1${"0".repeat(40)}`;
    expect(firstAmountOf(withPosting(`"amount":${huge}`))).toBe(10n ** 40n);
    expect(firstAmountOf(withPosting('"amount":9007199254740993'))).toBe(9007199254740993n);
    expect(firstAmountOf(withPosting('"amount":0'))).toBe(0n);
    expect(firstAmountOf(withPosting('"amount":-0'))).toBe(0n);
  });

  test.each(["1.0", "1.5", "1e3", '"1"', "true", "[1]"])(
    "a request for a transaction refuses the amount %s",
    (amount) => {
      expect(() => commandOf(withPosting(`"amount":${amount}`))).toThrow("expected an integer");
    },
  );

  test.each([
    ['"amount":null', "no amount defined"],
    ['"amount":-1', "negative amount"],
    ['"amount":-1,"source":""', "negative amount"],
    [`"amount":1${"0".repeat(1000)}`, "an amount has more than 1000 digits"],
    ['"source":""', "invalid source address ''"],
    ['"source":null', "invalid source address ''"],
    ['"source":"a b","destination":"c d"', "invalid source address 'a b'"],
    ['"destination":"a:","asset":"usd"', "invalid destination address 'a:'"],
    ['"asset":"usd"', "invalid asset 'usd'"],
    ['"asset":null', "invalid asset ''"],
  ])("a transaction with %s in a posting is refused for the first mistake", (members, message) => {
    expect(() => commandOf(withPosting(members))).toThrow(message);
  });

  test.each([
    '"timestamp":""',
    '"timestamp":"2026-03-01"',
    '"timestamp":"2026-03-01T09:30:00"',
    '"timestamp":1',
    '"metadata":{"k":1}',
    '"metadata":{"k":null}',
    '"metadata":[]',
    '"metadata":"x"',
    '"accountMetadata":{"a":"x"}',
    '"accountMetadata":{"a":{"k":1}}',
    '"reference":7',
    '"force":"true"',
    '"runtime":"wasm"',
    '"script":{"plain":1}',
    '"script":{"vars":"x"}',
    '"script":{"vars":[]}',
    '"postings":{}',
  ])("a request for a transaction does not take %s", (member) => {
    const parsed = TransactionRequest.safeParse(parseJson(`{${ONE},${member}}`));
    expect(parsed.success).toBe(false);
  });

  test("a request for a transaction takes null for no metadata of an account", () => {
    const { accountMetadata } = commandOf(
      `{${ONE},"accountMetadata":{"a":null,"b":{"k":"v"},"__proto__":null}}`,
    );
    expect(Object.entries(accountMetadata ?? {})).toEqual([
      ["a", {}],
      ["b", { k: "v" }],
      ["__proto__", {}],
    ]);
  });

  test("a transaction keeps __proto__ as a metadata key and as an account, and checks addresses of account metadata", () => {
    const { metadata, accountMetadata } = commandOf(
      `{${ONE},"metadata":{"__proto__":"m"},"accountMetadata":{"__proto__":{"__proto__":"a"}}}`,
    );
    expect(Object.entries(metadata ?? {})).toEqual([["__proto__", "m"]]);
    expect(Object.keys(accountMetadata ?? {})).toEqual(["__proto__"]);
    expect(() => commandOf(`{${ONE},"accountMetadata":{"a b":{}}}`)).toThrow(
      "invalid account metadata address 'a b'",
    );
  });

  test("a request for a transaction bounds the reference and the metadata", () => {
    expect(refusalOf(() => commandOf(`{${ONE},"reference":"${"r".repeat(1025)}"}`))).toBe(
      "VALIDATION",
    );
    expect(refusalOf(() => commandOf(`{${ONE},"metadata":{"k":"${"v".repeat(65_536)}"}}`))).toBe(
      "VALIDATION",
    );
  });
});

describe("a request for a revert", () => {
  test("a request for a revert keeps what is given", () => {
    const plain = { id: 7, force: false, atEffectiveDate: false };
    const command = { kind: "revertTransaction", ...plain };
    expect(toRevertTransaction(plain)).toStrictEqual(command);
    expect(toRevertTransaction({ ...plain, metadata: null })).toStrictEqual(command);
    expect(toRevertTransaction({ ...plain, force: true, metadata: { k: "v" } })).toStrictEqual({
      ...command,
      force: true,
      metadata: { k: "v" },
    });
  });

  test("a request for a revert may be at the effective date", () => {
    const request = { id: 7, force: false, atEffectiveDate: true };
    expect(toRevertTransaction(request)).toMatchObject({ atEffectiveDate: true });
  });
});

describe("a bulk", () => {
  const commandsOf = (text: string): (Command | string)[] =>
    parseBulk(parseJson(text) as unknown[]).map((request) => {
      const { command } = toBulkElement(request);
      return command.ok ? command.value : command.failure.kind;
    });

  test("a request for a bulk has the four actions", () => {
    expect(
      commandsOf(`[
        {"action":"CREATE_TRANSACTION","data":{${ONE},"force":true}},
        {"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":"a","metadata":{"k":"v"}}},
        {"action":"ADD_METADATA","data":{"targetType":"TRANSACTION","targetId":1,"metadata":{}}},
        {"action":"DELETE_METADATA","data":{"targetType":"TRANSACTION","targetId":1,"key":"k"}},
        {"action":"REVERT_TRANSACTION","data":{"id":1,"force":true,"metadata":{"k":"v"}}}
      ]`),
    ).toStrictEqual([
      {
        kind: "createTransaction",
        postings: [posting("world -> a", 1)],
        metadata: {},
        force: true,
      },
      { kind: "setMetadata", target: { type: "ACCOUNT", id: "a" }, metadata: { k: "v" } },
      { kind: "setMetadata", target: { type: "TRANSACTION", id: 1 }, metadata: {} },
      { kind: "deleteMetadata", target: { type: "TRANSACTION", id: 1 }, key: "k" },
      {
        kind: "revertTransaction",
        id: 1,
        force: true,
        atEffectiveDate: false,
        metadata: { k: "v" },
      },
    ]);
  });

  test("a request for a bulk takes null for the metadata of an account, and not for that of a transaction", () => {
    const add = (target: string) => `[{"action":"ADD_METADATA","data":{${target}}}]`;
    expect(commandsOf(add('"targetType":"ACCOUNT","targetId":"a","metadata":null'))).toStrictEqual([
      { kind: "setMetadata", target: { type: "ACCOUNT", id: "a" }, metadata: {} },
    ]);
    for (const target of [
      '"targetType":"TRANSACTION","targetId":1,"metadata":null',
      '"targetType":"ACCOUNT","targetId":"a"',
    ]) {
      expect(refusalOf(() => commandsOf(add(target)))).toBe("VALIDATION");
    }
  });

  test("a request for a bulk keeps the keys of its elements", () => {
    const [keyed, plain] = parseBulk(
      parseJson(
        `[{"action":"CREATE_TRANSACTION","ik":"k1","data":{${ONE}}},{"action":"CREATE_TRANSACTION","ik":null,"data":{${ONE}}}]`,
      ) as unknown[],
    ).map(toBulkElement);
    expect([keyed?.idempotencyKey, plain?.idempotencyKey]).toEqual(["k1", ""]);
  });

  test.each([
    "{}",
    "7",
    "null",
    '{"action":"CREATE_TRANSACTION"}',
    '{"action":"create_transaction","data":{}}',
    '{"action":"MINT","data":{}}',
    '{"action":"CREATE_TRANSACTION","ik":7,"data":{}}',
    '{"action":"CREATE_TRANSACTION","data":{"postings":[{"amount":1.5}]}}',
    '{"action":"REVERT_TRANSACTION","data":{}}',
    '{"action":"REVERT_TRANSACTION","data":{"id":"1"}}',
    '{"action":"REVERT_TRANSACTION","data":{"id":-1}}',
    '{"action":"DELETE_METADATA","data":{"targetType":"ACCOUNT","targetId":"a"}}',
    '{"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":"a"}}',
    '{"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":null,"metadata":{}}}',
  ])("a bulk with the element %s is refused as a whole, naming its position", (element) => {
    const good = `{"action":"CREATE_TRANSACTION","data":{${ONE}}}`;
    expect(() => commandsOf(`[${good},${element}]`)).toThrow("element 1");
  });

  test.each([
    [`{"action":"CREATE_TRANSACTION","data":{${ONE},"script":{"template":"x"}}}`, "VALIDATION"],
    [
      '{"action":"CREATE_TRANSACTION","data":{"postings":[{"source":"world","destination":"a","amount":-1,"asset":"USD"}]}}',
      "VALIDATION",
    ],
    [
      '{"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":12,"metadata":{}}}',
      "VALIDATION",
    ],
    [
      '{"action":"ADD_METADATA","data":{"targetType":"TRANSACTION","targetId":"12","metadata":{}}}',
      "VALIDATION",
    ],
    [
      '{"action":"ADD_METADATA","data":{"targetType":"LEDGER","targetId":"a","metadata":{}}}',
      "VALIDATION",
    ],
    [
      '{"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":"a b","metadata":{}}}',
      "VALIDATION",
    ],
  ])("a bulk fails at the well-formed element %s only in its turn", (element, kind) => {
    const good = `{"action":"CREATE_TRANSACTION","data":{${ONE}}}`;
    expect(commandsOf(`[${good},${element}]`)[1]).toBe(kind);
  });

  test.each(["{}", "null", '{"postings":[]}', '{"script":{"vars":{}}}'])(
    "a request for a bulk takes the element data %s for an empty script, which is refused in its turn",
    (data) => {
      expect(commandsOf(`[{"action":"CREATE_TRANSACTION","data":${data}}]`)).toEqual([
        { kind: "runScript", script: { plain: "", variables: {} } },
      ]);
    },
  );

  test("a request for a bulk bounds keys", () => {
    expect(refusalOf(() => assertIdempotencyKey("k".repeat(255)))).toBe("none");
    expect(refusalOf(() => assertIdempotencyKey("k".repeat(256)))).toBe("VALIDATION");
    const text = `[{"action":"CREATE_TRANSACTION","ik":"${"k".repeat(256)}","data":{${ONE}}}]`;
    expect(commandsOf(text)).toEqual(["VALIDATION"]);
  });
});
