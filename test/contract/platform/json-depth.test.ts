import { beforeAll, describe, expect, test } from "vitest";
import { CHART_DEPTH_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import { JSON_DEPTH_MAX } from "#platform/json-depth.ts";
import { EXPORTERS } from "#test/support/exporters/pipelines.ts";
import { refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const LEDGER = freshName("depth");
const IN_LEDGER = `/api/ledger/v2/${LEDGER}`;
const STREAM = "application/vnd.formance.ledger.api.v2.bulk+json-stream";
const JSON_TYPE = { "content-type": "application/json" };
const [OPEN, CLOSE] = ['{"a":', "}"];

/** The first depth that is refused, and a depth that overflows the stack of a recursive parser. */
const DEPTHS = [JSON_DEPTH_MAX + 1, 10_000];

const nested = (depth: number): string => OPEN.repeat(depth) + 1 + CLOSE.repeat(depth);

/** Encodes JSON as a cursor of the server. */
const cursorOf = (text: string): string => btoa(text).replace(/=+$/, "");

beforeAll(async () => {
  await api(IN_LEDGER, { method: "POST" });
});

describe("JSON that is nested too deep is refused as", () => {
  test.each([
    [
      "the config of an exporter",
      EXPORTERS,
      (json: string) =>
        `{"driver":"http","config":{"url":"https://example.com/in","headers":${json}}}`,
    ],
    [
      "the metadata of a ledger",
      `/api/ledger/v2/${freshName()}`,
      (json: string) => `{"metadata":${json}}`,
    ],
    ["a transaction", `${IN_LEDGER}/transactions`, (json: string) => `{"x":${json}}`],
    ["a schema", `${IN_LEDGER}/schemas/v1`, (json: string) => `{"chart":${json}}`],
    ["a bulk", `${IN_LEDGER}/_bulk`, (json: string) => `[${json}]`],
    ["a webhook", "/api/webhooks/configs", (json: string) => json],
    ["a client", "/api/auth/clients", (json: string) => json],
  ])("JSON that is nested too deep is refused as %s", async (_what, path, toBody) => {
    for (const depth of DEPTHS) {
      expect(
        await refusalOf(api(path, { body: toBody(nested(depth)), headers: JSON_TYPE })),
      ).toMatchObject({
        status: 400,
        code: "VALIDATION",
        message: `[VALIDATION] the body is nested deeper than ${JSON_DEPTH_MAX} levels`,
      });
    }
  });

  test("JSON that is nested too deep is refused as a filter in the query", async () => {
    const path = `${IN_LEDGER}/accounts?query=${encodeURIComponent(nested(JSON_DEPTH_MAX + 1))}`;
    const message = `[VALIDATION] the filter is nested deeper than ${JSON_DEPTH_MAX} levels`;
    expect(await refusalOf(api(path))).toMatchObject({ status: 400, code: "VALIDATION", message });
  });

  test("JSON that is nested too deep is refused as a cursor", async () => {
    const cursor = cursorOf(nested(JSON_DEPTH_MAX + 1));
    expect(await refusalOf(api(`${IN_LEDGER}/accounts?cursor=${cursor}`))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  });

  test.each([
    [
      "an element of a stream",
      "_bulk",
      `element 0: it is nested deeper than ${JSON_DEPTH_MAX} levels`,
    ],
    ["an entry of an import", "logs/import", "entry 1 is not valid JSON"],
  ])("JSON that is nested too deep is refused as %s", async (_what, path, message) => {
    for (const depth of DEPTHS) {
      const init = { body: nested(depth), headers: { "content-type": STREAM } };
      const { errorMessage, details = errorMessage } = await api(`${IN_LEDGER}/${path}`, init).then(
        (response) => response.json<{ errorMessage: string; details?: string }>(),
      );
      expect(errorMessage).toBe(`[VALIDATION] ${message}`);
      expect(details).toContain(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
    }
  });
});

test("the deepest schema goes from one ledger into another", async () => {
  const [from, to] = [freshName("deep"), freshName("deep")];
  for (const name of [from, to]) await api(`/api/ledger/v2/${name}`, { method: "POST" });
  const depth = CHART_DEPTH_MAX;
  const chart = `${OPEN.repeat(depth - 1)}{}${CLOSE.repeat(depth - 1)}`;
  const schema = { body: `{"chart":${chart}}` };
  expect((await api(`/api/ledger/v2/${from}/schemas/v1`, schema)).status).toBe(204);
  const exported = await api(`/api/ledger/v2/${from}/logs/export`, { method: "POST" });
  const imported = await api(`/api/ledger/v2/${to}/logs/import`, { body: await exported.text() });
  expect([imported.status, await imported.text()]).toEqual([204, ""]);
});
