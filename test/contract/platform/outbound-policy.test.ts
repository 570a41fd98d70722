import { describe, expect, test, vi } from "vitest";
import { assertCallable } from "#modules/payments/connectors/config.ts";
import { CONNECTOR_KINDS } from "#modules/payments/connectors/index.ts";
import type { ErrorBody } from "#platform/errors.ts";
import { urlProblem } from "#platform/http/outbound.ts";
import { stringifyJson } from "#platform/json.ts";
import { EXPORTERS } from "#test/support/exporters/pipelines.ts";
import { bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";
import { EVENT_TYPES, freshEndpoint, insert } from "#test/support/webhooks/configs.ts";

/** The deployment with the settings of production. */
const deployed = isolate({ FLORIN_ALLOW_PRIVATE_HOSTS: "false" });
const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };

const CONFIGS = "/api/webhooks/configs";
const METADATA_SERVICE = "http://169.254.169.254/latest/meta-data";

const send = (method: string, path: string, body?: unknown): Promise<Response> =>
  deployed(path, { method, headers, ...(body === undefined ? {} : { body: stringifyJson(body) }) });

const expectRefusal = async (response: Response): Promise<void> => {
  expect(response.status).toBe(400);
  const { errorCode, errorMessage } = await response.json<ErrorBody>();
  expect(errorCode).toBe("VALIDATION");
  expect(errorMessage).toContain("names 169.254.169.254, which is not a public host");
};

describe("a host that is not public is refused", () => {
  test("a host that is not public is refused when a webhook is created or updated, and nothing changes", async () => {
    const refused = { endpoint: METADATA_SERVICE, eventTypes: EVENT_TYPES };
    const before = await bodyOf(await send("GET", CONFIGS));
    await expectRefusal(await send("POST", CONFIGS, refused));
    expect(await bodyOf(await send("GET", CONFIGS))).toEqual(before);
    const endpoint = freshEndpoint();
    const { id } = await insert(endpoint);
    await expectRefusal(await send("PUT", `${CONFIGS}/${id}`, refused));
    expect(await bodyOf(await send("GET", `${CONFIGS}?id=${id}`))).toMatchObject({
      cursor: { data: [{ id, endpoint }] },
    });
  });

  test("a host that is not public is refused when a webhook is called that was created while private hosts were allowed", async () => {
    const { id } = await insert(METADATA_SERVICE);
    const fetch = vi.spyOn(globalThis, "fetch");
    const response = await send("GET", `${CONFIGS}/${id}/test`);
    expect(await bodyOf(response)).toMatchObject({ data: { status: "failed", statusCode: 0 } });
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });

  test.each([
    ["http", { url: METADATA_SERVICE }],
    ["elasticsearch", { endpoint: METADATA_SERVICE }],
    ["clickhouse", { dsn: METADATA_SERVICE }],
  ])("a private host is refused in a new or changed exporter: %s", async (driver, config) => {
    await expectRefusal(await send("POST", EXPORTERS, { driver, config }));
    const created = await send("POST", EXPORTERS, { driver: "noop", config: {} });
    const { data } = (await bodyOf(created)) as { data: { id: string } };
    await expectRefusal(await send("PUT", `${EXPORTERS}/${data.id}`, { driver, config }));
    const read = await send("GET", `${EXPORTERS}/${data.id}`);
    expect(await bodyOf(read)).toMatchObject({ data: { driver: "noop" } });
  });

  const CONNECTORS = "/api/payments/v3/connectors";

  test.each(CONNECTOR_KINDS.map((kind) => [kind.key, kind] as const))(
    "a host that is not public is refused in each text that a connector's configuration has: %s",
    (_, { fields }) => {
      const texts = fields.filter(({ type }) => type === "string").map(({ name }) => name);
      const problemOf = (url: string) => urlProblem(url, { allowPrivateHosts: false });
      for (const name of texts) {
        const values = Object.fromEntries(texts.map((other) => [other, "x"]));
        expect(() => assertCallable(fields, values, problemOf)).not.toThrow();
        const refused = { ...values, [name]: METADATA_SERVICE };
        expect(() => assertCallable(fields, refused, problemOf)).toThrow(
          `'${name}' names 169.254.169.254, which is not a public host`,
        );
      }
    },
  );

  test("a host that is not public is refused when a connector is installed or changed, and nothing changes", async () => {
    const name = freshName("dummypay");
    const good = { name, directory: "/tmp/florin" };
    for (const directory of [METADATA_SERVICE, ` ${METADATA_SERVICE}`]) {
      const response = await send("POST", `${CONNECTORS}/install/dummypay`, { ...good, directory });
      expect(response.status).toBe(400);
    }
    await expectRefusal(
      await send("POST", `${CONNECTORS}/install/dummypay`, {
        ...good,
        directory: METADATA_SERVICE,
      }),
    );
    const installed = await send("POST", `${CONNECTORS}/install/dummypay`, good);
    const { data: id } = (await bodyOf(installed)) as { data: string };
    const path = `${CONNECTORS}/${id}/config`;
    const before = await bodyOf(await send("GET", path));
    await expectRefusal(await send("PATCH", path, { ...good, directory: METADATA_SERVICE }));
    await expectRefusal(
      await send("POST", `/api/payments/connectors/dummypay/${id}/config`, {
        ...good,
        directory: METADATA_SERVICE,
      }),
    );
    expect(await bodyOf(await send("GET", path))).toEqual(before);
  });
});
