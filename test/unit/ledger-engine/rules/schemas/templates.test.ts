import { describe, expect, test } from "vitest";
import { TEMPLATE_NAME_LENGTH_MAX, TEMPLATES_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import {
  assertScripts,
  chooseTemplate,
  decodeTemplates,
  renderTemplates,
  type TemplateRules,
  type TransactionTemplates,
} from "#ledger-engine/rules/schemas/templates.ts";
import { parseJson } from "#platform/json.ts";
import {
  detailsOf,
  messageOf,
  recordedRequests,
  recordedSchema,
} from "#test/support/ledger-engine/schemas.ts";

const SEND = "send [USD 1] (\n source = @world\n destination = @bank\n)";
const templatesOf = (text: string): TransactionTemplates => decodeTemplates(parseJson(text));
const checked = (templates: object, runtime: "machine" | "experimental-interpreter" = "machine") =>
  messageOf(() => assertScripts(decodeTemplates(templates), runtime));

describe("transaction templates", () => {
  test("transaction templates are shown with a description always, and with a runtime where they name one", () => {
    const templates = decodeTemplates({
      fee: { script: SEND, runtime: "experimental-interpreter" },
      pay: { script: SEND, description: "money out", runtime: "" },
      "": { script: SEND, description: null, runtime: null, other: 1 },
    });
    expect(renderTemplates(templates)).toEqual({
      fee: { description: "", script: SEND, runtime: "experimental-interpreter" },
      pay: { description: "money out", script: SEND },
      "": { description: "", script: SEND },
    });
  });

  test("transaction templates may be null or have none", () => {
    expect(decodeTemplates(null).size).toBe(0);
    expect(decodeTemplates(undefined).size).toBe(0);
    expect(decodeTemplates({}).size).toBe(0);
  });

  test("transaction templates may have the names of inherited properties", () => {
    const templates = templatesOf(`{"__proto__":{"script":"x"},"constructor":{"script":"y"}}`);
    expect([...templates.keys()]).toEqual(["__proto__", "constructor"]);
    expect(Object.keys(renderTemplates(templates))).toEqual(["__proto__", "constructor"]);
  });

  test.each([
    [`[]`, "invalid schema: the transaction templates must be an object"],
    [`"x"`, "invalid schema: the transaction templates must be an object"],
    [`{"t":"x"}`, "invalid schema: invalid template t: expected an object"],
    [`{"t":{"description":5}}`, "invalid schema: `description` must be a text"],
    [`{"t":{"script":["x"]}}`, "invalid schema: `script` must be a text"],
    [
      `{"t":{"runtime":"nope"}}`,
      "invalid schema: invalid template t: unexpected runtime, expected one of `experimental-interpreter`, `machine`",
    ],
    [
      `{"t":{"runtime":{}}}`,
      "invalid schema: invalid template t: unexpected runtime, expected one of `experimental-interpreter`, `machine`",
    ],
  ])("transaction templates are refused for %s", (text, message) => {
    expect(messageOf(() => templatesOf(text))).toBe(message);
  });

  test("transaction templates are limited in number and in the length of their names", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, { script: SEND }]));
    expect(messageOf(() => decodeTemplates(many(TEMPLATES_MAX)))).toBeUndefined();
    expect(messageOf(() => decodeTemplates(many(TEMPLATES_MAX + 1)))).toContain("more than 1000");
    const named = (length: number) => ({ ["n".repeat(length)]: { script: SEND } });
    expect(messageOf(() => decodeTemplates(named(TEMPLATE_NAME_LENGTH_MAX)))).toBeUndefined();
    expect(messageOf(() => decodeTemplates(named(TEMPLATE_NAME_LENGTH_MAX + 1)))).toContain(
      "more than 255 characters",
    );
  });
});

describe("the scripts of templates", () => {
  test("the scripts of templates must be accepted by their runtime", () => {
    expect(checked({ t: { script: SEND } })).toBeUndefined();
    expect(checked({ t: { script: "" } })).toMatch(/^invalid schema: invalid template t: /);
    expect(checked({ t: { script: "send [USD 1] (" } })).toMatch(
      /^invalid schema: invalid template t: .*\n.*send \[USD 1\] \(/s,
    );
    expect(checked({ t: { script: "send $x (\n source = @a\n destination = @b\n)" } })).toMatch(
      /^invalid schema: invalid template t: /,
    );
  });

  test("the scripts of templates are compiled for the runtime of the template, or else of the deployment", () => {
    const REFUSED = /^invalid schema: invalid template t: .*oneof/s;
    const interpreted = "send [USD/2 *] (\n source = oneof { @a @b }\n destination = @c\n)";
    expect(checked({ t: { script: interpreted } })).toMatch(REFUSED);
    expect(checked({ t: { script: interpreted } }, "experimental-interpreter")).toBeUndefined();
    expect(
      checked({ t: { script: interpreted, runtime: "experimental-interpreter" } }),
    ).toBeUndefined();
    expect(
      checked({ t: { script: interpreted, runtime: "machine" } }, "experimental-interpreter"),
    ).toMatch(REFUSED);
  });

  test("the scripts of templates have the position of their mistake in the details", () => {
    const work = () =>
      assertScripts(decodeTemplates({ t: { script: "send [USD 1] (" } }), "machine");
    expect(detailsOf(work)).toMatch(/^1:15-1:15 unexpected-token/);
  });
});

describe("the template of a transaction", () => {
  const transactions = decodeTemplates({
    deposit: { script: SEND },
    fee: { script: SEND, runtime: "experimental-interpreter" },
    "": { script: SEND },
  });
  const rules = (isStrict: boolean): TemplateRules => ({ version: "v1", transactions, isStrict });
  const none = (isStrict: boolean): TemplateRules => ({
    ...rules(isStrict),
    transactions: new Map(),
  });

  test("the template of a transaction is the one that the request names, with its script and runtime", () => {
    expect(chooseTemplate({ template: "deposit" }, rules(true))).toEqual({
      name: "deposit",
      plain: SEND,
      runtime: undefined,
    });
    expect(chooseTemplate({ template: "fee" }, rules(false))).toEqual({
      name: "fee",
      plain: SEND,
      runtime: "experimental-interpreter",
    });
  });

  test("the template of a transaction runs in the runtime of the request, if it names one", () => {
    const chosen = chooseTemplate({ template: "fee", runtime: "machine" }, rules(true));
    expect(chosen?.runtime).toBe("machine");
  });

  test("the template of a transaction is needed where the schema has templates, in both modes", () => {
    for (const request of [{}, { template: "" }, { template: undefined }]) {
      expect(messageOf(() => chooseTemplate(request, rules(true)))).toBe(
        "schema version [v1]: transactions on this ledger must use a template",
      );
      expect(messageOf(() => chooseTemplate(request, rules(false)))).toBe(
        "schema version [v1]: failed to find transaction template ``",
      );
    }
  });

  test.each(["nope", "__proto__", "constructor"])(
    "the template of a transaction must be known: %s is not",
    (template) => {
      for (const isStrict of [true, false]) {
        expect(messageOf(() => chooseTemplate({ template }, rules(isStrict)))).toBe(
          `schema version [v1]: failed to find transaction template \`${template}\``,
        );
      }
    },
  );

  test("the template of a transaction needs a schema with templates", () => {
    const what = "can only use templates on a schema with transaction definitions";
    expect(messageOf(() => chooseTemplate({ template: "t" }, undefined))).toBe(what);
    expect(messageOf(() => chooseTemplate({ template: "t" }, none(true)))).toBe(
      `schema version [v1]: ${what}`,
    );
  });

  test("the template of a transaction is absent for other transactions without a schema, or with one that has no templates", () => {
    expect(chooseTemplate({}, undefined)).toBeUndefined();
    expect(chooseTemplate({ template: "" }, none(true))).toBeUndefined();
    expect(chooseTemplate({ runtime: "machine" }, none(false))).toBeUndefined();
  });
});

describe("recorded transactions", () => {
  const requests = recordedRequests("transaction").filter(({ scenario, message = "" }) => {
    return scenario.includes("template") && !/cannot pass|missing variable/.test(message);
  });

  test.each(requests)(
    "recorded transactions of $scenario are judged as by the reference server: $body",
    (request) => {
      const { transactions } = recordedSchema(request.scenario, request.version);
      const { script } = parseJson(request.body) as { script?: { template?: string } };
      const isStrict = !request.scenario.includes("audit");
      const message = messageOf(() =>
        chooseTemplate(script ?? {}, { version: request.version, transactions, isStrict }),
      );
      expect(message).toBe(request.message?.replace("unexpected error while forging log: ", ""));
    },
  );
});
