import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import {
  UNKNOWN_ID,
  UUID,
  EVENT_TYPES,
  webhooks,
  freshEndpoint,
  insert,
  failureOf,
} from "#test/support/webhooks/configs.ts";

const SECRET = "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3";

async function list(filter: { id?: string; endpoint?: string }) {
  const answer = await webhooks.getManyConfigs(filter);
  return present(answer.configsResponse, "a success has a body").cursor.data;
}

const createRaw = (body: unknown, headers = {}): Promise<Response> =>
  api("/api/webhooks/configs", { method: "POST", body, headers });

describe("create", () => {
  test("the creation of a webhook answers the config, active, with a secret of its own", async () => {
    const endpoint = freshEndpoint();
    const eventTypes = ["LEDGER.Committed_Transactions", "b", "b"];
    const answer = await webhooks.insertConfig({ endpoint, eventTypes });
    expect(answer.statusCode).toBe(200);
    const config = present(answer.configResponse, "a success has a body").data;
    expect(config).toMatchObject({ endpoint, active: true });
    expect(config.eventTypes).toEqual(["ledger.committed_transactions", "b", "b"]);
    expect(config.id).toMatch(UUID);
    expect(atob(config.secret)).toHaveLength(24);
    expect(Date.now() - config.createdAt.getTime()).toBeLessThan(60_000);
  });

  test("the creation of a webhook keeps the fields in the order that clients print", async () => {
    const endpoint = freshEndpoint();
    const body = { endpoint, eventTypes: EVENT_TYPES, secret: SECRET, name: "Orders" };
    const response = await createRaw(body);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toMatch(
      new RegExp(
        String.raw`^\{"data":\{"endpoint":"${endpoint}","secret":"V0bivxRWveaoz08afqjU6Ko/jwO0Cb\+3","eventTypes":\["ledger.committed_transactions"\],"id":"[^"]+","active":true,"name":"Orders","createdAt":"[^"]+Z","updatedAt":"[^"]+Z"\}\}$`,
      ),
    );
  });

  test("the creation of a webhook makes two configs of two equal requests", async () => {
    const endpoint = freshEndpoint();
    await insert(endpoint);
    await insert(endpoint);
    expect(await list({ endpoint })).toHaveLength(2);
  });

  test("the creation of a webhook makes a secret when an empty one is given", async () => {
    const body = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES, secret: "" };
    const { configResponse } = await webhooks.insertConfig(body);
    expect(configResponse?.data.secret).toHaveLength(32);
  });

  test.each([undefined, "application/json; charset=utf-8", "text/plain"])(
    "the creation of a webhook reads JSON whatever the content type, here %s",
    async (type) => {
      const text = `{"endpoint":"${freshEndpoint()}","eventTypes":["a"]}`;
      const body = new TextEncoder().encode(text);
      const response = await api("/api/webhooks/configs", {
        method: "POST",
        body: new TextDecoder().decode(body),
        headers: type === undefined ? {} : { "content-type": type },
      });
      expect(response.status).toBe(200);
    },
  );

  const valid = { endpoint: "https://hooks.example.com/in", eventTypes: EVENT_TYPES };
  test.each([
    ["no body", "", /the body is empty/],
    ["malformed JSON", '{"endpoint":', /not valid JSON/],
    ["text after the body", `${JSON.stringify(valid)} {}`, /not valid JSON/],
    ["null", "null", /expected object/],
    ["a list", [valid], /expected object/],
    ["no endpoint", { eventTypes: EVENT_TYPES }, /'endpoint'/],
    ["an empty endpoint", { ...valid, endpoint: "" }, /endpoint is not an absolute/],
    ["a relative endpoint", { ...valid, endpoint: "/in" }, /endpoint is not an absolute/],
    ["another scheme", { ...valid, endpoint: "ftp://example.com" }, /endpoint is not an absolute/],
    ["credentials", { ...valid, endpoint: "https://a:b@example.com" }, /must not contain cred/],
    ["no event types", { endpoint: valid.endpoint }, /'eventTypes'/],
    [
      "an empty list of event types",
      { ...valid, eventTypes: [] },
      /'eventTypes': should be filled/,
    ],
    ["an empty event type", { ...valid, eventTypes: ["a", ""] }, /'eventTypes.1'/],
    ["an event type that is no text", { ...valid, eventTypes: [1] }, /'eventTypes.0'/],
    ["too many event types", { ...valid, eventTypes: Array(201).fill("a") }, /'eventTypes'/],
    ["a secret that is not base64", { ...valid, secret: "invalid" }, /should be base64 encoded/],
    ["a secret of another size", { ...valid, secret: "c2hvcnQ=" }, /should be of size 24/],
    ["a secret that is no text", { ...valid, secret: 1 }, /'secret'/],
    ["a name that is too long", { ...valid, name: "n".repeat(256) }, /'name'/],
    ["an unknown field", { ...valid, active: false }, /unknown field active/],
    ["a field in another case", { Endpoint: valid.endpoint, eventTypes: ["a"] }, /Endpoint/],
  ])("the creation of a webhook refuses %s and stores nothing", async (_case, body, message) => {
    const before = await list({});
    const response = await createRaw(body);
    expect(response.status).toBe(400);
    const error = (await bodyOf(response)) as { errorMessage: string; details?: string };
    expect(error).toMatchObject({ errorCode: "VALIDATION" });
    expect(`${error.errorMessage}\n${error.details}`).toMatch(message);
    expect(error.errorMessage).toMatch(/^\[VALIDATION\] /);
    expect(await list({})).toEqual(before);
  });

  test("the creation of a webhook is refused with the error that the SDK declares", async () => {
    const body = { endpoint: "", eventTypes: EVENT_TYPES };
    expect(await failureOf(webhooks.insertConfig(body))).toMatchObject({ errorCode: "VALIDATION" });
  });
});

describe("list", () => {
  test("the list of webhook configs shows the last changed first, without pages", async () => {
    const older = await insert();
    const newer = await insert();
    const ids = async (): Promise<string[]> => (await list({})).map(({ id }) => id);
    expect((await ids()).indexOf(newer.id)).toBeLessThan((await ids()).indexOf(older.id));
    await webhooks.deactivateConfig({ id: older.id });
    expect((await ids()).indexOf(older.id)).toBe(0);

    const response = await api("/api/webhooks/configs");
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/^\{"cursor":\{"hasMore":false,"data":\[\{"endpoint":/);
  });

  test("the list of webhook configs filters by id, by endpoint and by both", async () => {
    const endpoint = freshEndpoint();
    const [one, two] = [await insert(endpoint), await insert(endpoint)];
    expect((await list({ id: one.id })).map(({ id }) => id)).toEqual([one.id]);
    expect(await list({ endpoint })).toHaveLength(2);
    expect((await list({ endpoint, id: two.id })).map(({ id }) => id)).toEqual([two.id]);
    expect(await list({ endpoint: `${endpoint}/` })).toEqual([]);
  });

  test("the list of webhook configs finds nothing by an invalid id", async () => {
    expect(await list({ id: "unknown" })).toEqual([]);
    const response = await api("/api/webhooks/configs?id=unknown");
    expect(await response.text()).toBe('{"cursor":{"hasMore":false,"data":[]}}');
  });

  test("the list of webhook configs takes an empty filter as not given", async () => {
    await insert();
    const response = await api("/api/webhooks/configs?id=&endpoint=");
    expect(await bodyOf(response)).not.toMatchObject({ cursor: { data: [] } });
  });

  test.each([
    "?name=a",
    "?pageSize=15",
    "?id=a&id=b",
    "?endpoint=foo",
    "?endpoint=http%3A%2F%2F%5B",
  ])("the list of webhook configs refuses %s", async (query) => {
    const response = await api(`/api/webhooks/configs${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/"VALIDATION".*only 'id' and 'endpoint' with a valid/);
  });
});

describe("update", () => {
  test("the update of a webhook config replaces everything, and the secret when none is given", async () => {
    const before = await insert();
    const endpoint = freshEndpoint();
    const body = { endpoint, eventTypes: ["Payments.Saved_Payment"] };
    const response = await api(`/api/webhooks/configs/${before.id}`, { method: "PUT", body });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toBe("application/json");
    const [after] = await list({ id: before.id });
    expect(after).toMatchObject({ endpoint, eventTypes: ["payments.saved_payment"], active: true });
    expect(after?.secret).not.toBe(before.secret);
    expect(after?.createdAt).toEqual(before.createdAt);
  });

  test("the update of a webhook config moves updatedAt, so that the config is listed first", async () => {
    const config = await insert();
    await insert();
    const configUser = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES, secret: SECRET };
    expect((await webhooks.updateConfig({ id: config.id, configUser })).statusCode).toBe(200);
    const [first] = await list({});
    expect(first).toMatchObject({ id: config.id, secret: SECRET });
    expect(first?.updatedAt.getTime()).toBeGreaterThan(config.updatedAt.getTime());
  });

  test("the update of a webhook config sets a name, and keeps it when none is given", async () => {
    const { id } = await insert();
    const nameOf = async (): Promise<unknown> => {
      const response = await api(`/api/webhooks/configs?id=${id}`);
      const { cursor } = (await bodyOf(response)) as { cursor: { data: { name: string }[] } };
      return cursor.data[0]?.name;
    };
    expect(await nameOf()).toBe("");
    const body = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES };
    await api(`/api/webhooks/configs/${id}`, { method: "PUT", body: { ...body, name: "Orders" } });
    expect(await nameOf()).toBe("Orders");
    await api(`/api/webhooks/configs/${id}`, { method: "PUT", body });
    expect(await nameOf()).toBe("Orders");
  });

  test("the update of a webhook config refuses what the creation refuses and changes nothing", async () => {
    const config = await insert();
    const configUser = { endpoint: "foo", eventTypes: EVENT_TYPES };
    const error = await failureOf(webhooks.updateConfig({ id: config.id, configUser }));
    expect(error).toMatchObject({ errorCode: "VALIDATION", statusCode: 400 });
    expect(await list({ id: config.id })).toEqual([config]);
  });

  test("the update of an unknown or deleted webhook config is not found", async () => {
    const { id } = await insert();
    await webhooks.deleteConfig({ id });
    const configUser = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES };
    for (const unknown of [UNKNOWN_ID, id, "unknown"]) {
      const error = await failureOf(webhooks.updateConfig({ id: unknown, configUser }));
      expect(error).toMatchObject({ errorCode: "NOT_FOUND", statusCode: 404 });
    }
    expect(await list({ id })).toEqual([]);
  });
});

describe("delete", () => {
  test("the deletion of a webhook config removes a config from every read", async () => {
    const { id } = await insert();
    const response = await api(`/api/webhooks/configs/${id}`, { method: "DELETE" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(await list({ id })).toEqual([]);
    for (const call of [
      () => webhooks.deleteConfig({ id }),
      () => webhooks.activateConfig({ id }),
      () => webhooks.deactivateConfig({ id }),
      () => webhooks.testConfig({ id }),
      () => webhooks.changeConfigSecret({ id, configChangeSecret: { secret: "" } }),
    ]) {
      expect(await failureOf(call())).toMatchObject({ errorCode: "NOT_FOUND", statusCode: 404 });
    }
  });

  test("the deletion of an unknown webhook config is not found", async () => {
    const error = await failureOf(webhooks.deleteConfig({ id: UNKNOWN_ID }));
    expect(error.errorMessage).toBe("[NOT_FOUND] config not found");
  });
});

describe("activate and deactivate", () => {
  test("activation and deactivation of a webhook config answer the new state, which the list shows", async () => {
    const { id } = await insert();
    const off = await webhooks.deactivateConfig({ id });
    expect(off.configResponse?.data).toMatchObject({ id, active: false });
    expect(await list({ id })).toMatchObject([{ active: false }]);
    const on = await webhooks.activateConfig({ id });
    expect(on.configResponse?.data).toMatchObject({ id, active: true });
  });

  test("activation and deactivation of a webhook config change nothing in a config that is in that state", async () => {
    const config = await insert();
    const again = await webhooks.activateConfig({ id: config.id });
    expect(again.configResponse?.data).toEqual(config);
  });

  test("activation and deactivation of a webhook config ignore a body", async () => {
    const { id } = await insert();
    const path = `/api/webhooks/configs/${id}/activate`;
    expect((await api(path, { method: "PUT", body: "not json" })).status).toBe(200);
  });

  test("activation and deactivation of an unknown webhook config are not found", async () => {
    for (const call of [
      () => webhooks.activateConfig({ id: UNKNOWN_ID }),
      () => webhooks.deactivateConfig({ id: UNKNOWN_ID }),
    ]) {
      expect(await failureOf(call())).toMatchObject({ errorCode: "NOT_FOUND", statusCode: 404 });
    }
  });
});

describe("change of the secret", () => {
  test("the change of a webhook's secret takes the given secret", async () => {
    const { id } = await insert();
    const answer = await webhooks.changeConfigSecret({
      id,
      configChangeSecret: { secret: SECRET },
    });
    expect(answer.configResponse?.data).toMatchObject({ id, secret: SECRET });
    expect(await list({ id })).toMatchObject([{ secret: SECRET }]);
  });

  test.each(["", "{}", "null", '{"secret":""}'])(
    "the change of a webhook's secret makes a new one for the body %j",
    async (body) => {
      const { id, secret } = await insert();
      const path = `/api/webhooks/configs/${id}/secret/change`;
      const response = await api(path, { method: "PUT", ...(body === "" ? {} : { body }) });
      expect(response.status).toBe(200);
      const [after] = await list({ id });
      expect(after?.secret).toHaveLength(32);
      expect(after?.secret).not.toBe(secret);
    },
  );

  test.each([
    ["invalid", /should be base64 encoded/],
    ["c2hvcnQ=", /should be of size 24/],
  ])(
    "the change of a webhook's secret refuses the secret %s and keeps the old one",
    async (secret, message) => {
      const config = await insert();
      const request = { id: config.id, configChangeSecret: { secret } };
      const error = await failureOf(webhooks.changeConfigSecret(request));
      expect(error).toMatchObject({ errorCode: "VALIDATION", statusCode: 400 });
      expect(`${error.errorMessage}\n${error.details}`).toMatch(message);
      expect(await list({ id: config.id })).toEqual([config]);
    },
  );

  test("the change of the secret of an unknown webhook config is not found", async () => {
    const request = { id: UNKNOWN_ID, configChangeSecret: { secret: SECRET } };
    expect(await failureOf(webhooks.changeConfigSecret(request))).toMatchObject({
      errorCode: "NOT_FOUND",
    });
  });

  test("the change of a webhook's secret leaves no secret readable in the database", async () => {
    const { id, secret } = await insert();
    const row = await env.DB.prepare("SELECT * FROM webhook_configs WHERE id = ?").bind(id).first();
    expect(row).not.toBeNull();
    expect(JSON.stringify(row)).not.toContain(secret);
  });
});
