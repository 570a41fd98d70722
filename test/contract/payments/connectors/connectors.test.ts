import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, test, vi } from "vitest";
import { CONNECTOR_KINDS } from "#modules/payments/connectors/index.ts";
import {
  ended,
  healthOf,
  installDummypay,
  installGeneric,
  keyOf,
  ownedRows,
  polled,
  referenceOf,
  UNKNOWN,
  v1,
  v3,
} from "#test/support/payments/installs.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject } from "#test/support/platform/evict.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const nothing = async () => Response.json([]);
vi.spyOn(globalThis, "fetch").mockImplementation(nothing);
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

const KINDS = CONNECTOR_KINDS.map(({ key }) => key);

const install = (connector: string, body: unknown) =>
  api(`/api/payments/v3/connectors/install/${connector}`, { method: "POST", body });

describe("connectors, through the official client", () => {
  test("connectors, through the official client, are installed, listed and read with their configuration", async () => {
    const name = freshName("dummy");
    const id = await installDummypay({ name, pollingPeriod: "30m" });
    const { v3ConnectorsCursorResponse: list } = await v3.listConnectors({
      query: { $and: [{ $match: { id } }, { $match: { provider: "DUMMY-PAY" } }] },
    });
    expect(list?.cursor.data).toMatchObject([
      {
        id,
        name,
        provider: "dummypay",
        reference: referenceOf(id),
        scheduledForDeletion: false,
        capabilities: expect.arrayContaining(["FETCH_ACCOUNTS", "CREATE_PAYOUT"]) as unknown,
      },
    ]);
    const { v3GetConnectorConfigResponse: read } = await v3.getConnectorConfig({ connectorID: id });
    expect(read?.data).toMatchObject({
      provider: "Dummypay",
      name,
      directory: "demo",
      linkFlowError: false,
      pollingPeriod: "30m0s",
    });
  });

  test("connectors, through the official client, have catalogues of fields and capabilities", async () => {
    const { v3ConnectorConfigsResponse: configs } = await v3.listConnectorConfigs();
    expect(configs?.data["dummypay"]).toMatchObject({
      directory: { dataType: "string", required: true, defaultValue: "" },
      linkFlowError: { dataType: "boolean", required: false },
      pollingPeriod: { dataType: "duration ns", required: false, defaultValue: "30m0s" },
      name: { dataType: "string", required: true },
    });
    const { v3ConnectorCapabilitiesResponse: all } = await v3.listConnectorCapabilities({});
    expect(Object.keys(all?.data ?? {})).toEqual(KINDS);
    const connectorID = await installDummypay();
    const { v3ConnectorCapabilityResponse: one } = await v3.getConnectorCapabilities({
      connectorID,
    });
    expect(one?.data).toEqual(all?.data["dummypay"]);
  });

  test("connectors, through the official client, have a new configuration after an update, and their name when it is free", async () => {
    const connectorID = await installDummypay();
    const name = freshName("renamed");
    const config = { provider: "Dummypay", name, directory: "other", linkFlowError: true } as const;
    const { statusCode } = await v3.v3UpdateConnectorConfig({
      connectorID,
      v3ConnectorConfig: config,
    });
    expect(statusCode).toBe(204);
    const { v3GetConnectorConfigResponse: read } = await v3.getConnectorConfig({ connectorID });
    expect(read?.data).toMatchObject({ ...config, pollingPeriod: "30m0s" });
    const other = await installDummypay();
    const taken = v3.v3UpdateConnectorConfig({ connectorID: other, v3ConnectorConfig: config });
    expect(await codeOf(taken)).toBe("CONFLICT");
    expect(await codeOf(installDummypay({ name }))).toBe("CONFLICT");
  });

  test("connectors, through the official client, have schedules with their runs", async () => {
    const connectorID = await installDummypay();
    await polled(connectorID);
    const { v3ConnectorSchedulesCursorResponse: list } = await v3.listConnectorSchedules({
      connectorID,
    });
    const ids = list?.cursor.data.map(({ id }) => id) ?? [];
    expect(ids.toSorted()).toEqual(
      ["FETCH_ACCOUNTS", "FETCH_EXTERNAL_ACCOUNTS", "FETCH_PAYMENTS"].map(
        (task) => `florin-${connectorID}-${task}`,
      ),
    );
    const scheduleID = `florin-${connectorID}-FETCH_PAYMENTS`;
    const query = { $match: { id: scheduleID } };
    const { v3ConnectorSchedulesCursorResponse: found } = await v3.listConnectorSchedules({
      connectorID,
      query,
    });
    const { v3ConnectorScheduleResponse: one } = await v3.getConnectorSchedule({
      connectorID,
      scheduleID,
    });
    expect(found?.cursor.data).toEqual([one?.data]);
    const { v3ConnectorScheduleInstancesCursorResponse: runs } =
      await v3.listConnectorScheduleInstances({ connectorID, scheduleID });
    expect(runs?.cursor.data).toMatchObject([{ connectorID, scheduleID, terminated: true }]);
    const unknown = v3.getConnectorSchedule({ connectorID, scheduleID: "odd" });
    expect(await codeOf(unknown)).toBe("NOT_FOUND");
  });

  test("connectors, through the official client, are uninstalled by a task that leaves nothing of them and all of others", async () => {
    const [connectorID, other] = await Promise.all([installDummypay(), installDummypay()]);
    await Promise.all([polled(connectorID), polled(other)]);
    const [key, otherKey] = await Promise.all([keyOf(connectorID), keyOf(other)]);
    const kept = await ownedRows(otherKey);
    expect(await ownedRows(key)).toEqual(kept);
    expect(kept).toMatchObject({ payment_accounts: 10, payment_payments: 72, payment_balances: 6 });
    const { v3UninstallConnectorResponse: begun } = await v3.uninstallConnector({ connectorID });
    const taskID = begun?.data.taskID ?? "";
    expect(await ended(taskID)).toMatchObject({
      status: "SUCCEEDED",
      createdObjectID: connectorID,
      id: taskID,
    });
    expect(await ownedRows(key)).toEqual({});
    expect(await ownedRows(otherKey)).toEqual(kept);
    expect(await codeOf(v3.getConnectorConfig({ connectorID }))).toBe("NOT_FOUND");
    expect(await codeOf(v3.uninstallConnector({ connectorID }))).toBe("NOT_FOUND");
    expect((await healthOf(other)).status).toBe("healthy");
  });

  test("connectors, through the official client, get a new id when they are reset, and poll everything again", async () => {
    const name = freshName("reset");
    const connectorID = await installDummypay({ name });
    await polled(connectorID);
    const key = await keyOf(connectorID);
    const { v3ResetConnectorResponse: begun } = await v3.resetConnector({ connectorID });
    const task = await ended(begun?.data ?? "");
    const successor = task?.createdObjectID ?? "";
    expect(task).toMatchObject({ status: "SUCCEEDED" });
    expect(successor).not.toBe(connectorID);
    await polled(successor);
    expect(await ownedRows(key)).toEqual({});
    const { v3GetConnectorConfigResponse: read } = await v3.getConnectorConfig({
      connectorID: successor,
    });
    expect(read?.data).toMatchObject({ name, directory: "demo" });
    expect(await ownedRows(await keyOf(successor))).toMatchObject({ payment_payments: 72 });
  });

  test("connectors, through the official client, refuse what does not fit with typed errors", async () => {
    const calls: readonly [() => Promise<unknown>, string][] = [
      [() => v3.getConnectorConfig({ connectorID: "odd" }), "INVALID_ID"],
      [() => v3.getConnectorConfig({ connectorID: UNKNOWN }), "NOT_FOUND"],
      [() => v3.getConnectorCapabilities({ connectorID: UNKNOWN }), "NOT_FOUND"],
      [() => v3.uninstallConnector({ connectorID: "odd" }), "INVALID_ID"],
      [() => v3.resetConnector({ connectorID: UNKNOWN }), "NOT_FOUND"],
      [() => v3.listConnectorSchedules({ connectorID: UNKNOWN }), "NOT_FOUND"],
      [() => v3.listConnectors({ query: { $match: { odd: "x" } } }), "VALIDATION"],
      [() => v3.getTask({ taskID: "odd" }), "INVALID_ID"],
      [() => v3.listConnectors({ cursor: "odd" }), "VALIDATION"],
      [() => installDummypay({ directory: "^&()sodj" }), "VALIDATION"],
    ];
    for (const [call, code] of calls) expect(await codeOf(call())).toBe(code);
  });
});

describe("the installation of a connector", () => {
  test("the installation of a connector names all required fields that are missing", async () => {
    const response = await install("generic", { name: "psp" });
    expect(response.status).toBe(400);
    expect(await bodyOf(response)).toEqual({
      errorCode: "VALIDATION",
      errorMessage:
        "[VALIDATION] invalid config: Key: 'Config.APIKey' Error:Field validation for 'APIKey' failed on the 'required' tag\nKey: 'Config.Endpoint' Error:Field validation for 'Endpoint' failed on the 'required' tag",
      details: "apiKey, endpoint",
    });
  });

  test.each([
    [
      "bitstamp",
      { name: "abc" },
      `there is no connector 'bitstamp': the connectors are ${KINDS.join(", ")}`,
    ],
    ["dummypay", "{", "the body is not valid JSON"],
    ["dummypay", undefined, "expected a JSON object"],
    ["dummypay", { name: "abc", directory: "d", pollingPeriod: "10ms" }, "minimum of 100ms"],
  ])("the installation of %s with %j is refused", async (connector, body, message) => {
    const response = await install(connector, body);
    expect(response.status).toBe(400);
    const { errorCode, errorMessage } = await response.json<Record<string, string>>();
    expect(errorCode).toBe("VALIDATION");
    expect(errorMessage).toContain(message);
  });

  test("the installation of a connector takes at most half a megabyte", async () => {
    const response = await install("dummypay", { name: "a".repeat(500_000), directory: "d" });
    expect(response.status).toBe(413);
  });

  test("the installation of a connector happens once when several come at a time with one name", async () => {
    const name = freshName("race");
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => install("dummypay", { name, directory: "d" })),
    );
    expect(
      all
        .map(({ status }) => String(status))
        .toSorted()
        .join(),
    ).toBe("202,400,400,400");
  });

  test("the installation of a connector shows its secrets only to those who may write", async () => {
    const connectorID = await installGeneric("http://psp.example");
    const configFor = async (scope: string) => {
      const { v3 } = sdk({ bearer: await token(scope) }).payments;
      const { v3GetConnectorConfigResponse: read } = await v3.getConnectorConfig({ connectorID });
      return read?.data;
    };
    expect(await configFor("payments:write")).toMatchObject({ apiKey: "psp-key" });
    expect(await configFor("payments:read")).toMatchObject({ apiKey: "********" });
  });

  test("the installation of a connector is told by its tag when the catalogue is as it was", async () => {
    const path = "/api/payments/v3/connectors/capabilities";
    const first = await api(path);
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("public, max-age=3600, must-revalidate");
    const second = await api(path, { headers: { "if-none-match": etag } });
    expect([second.status, await second.text()]).toEqual([304, ""]);
  });
});

describe("connectors of the first generation", () => {
  test("connectors of the first generation are installed under their earlier names, listed, updated, reset and uninstalled", async () => {
    const name = freshName("v1");
    const { connectorResponse: installed } = await v1.installConnector({
      connector: "DUMMY-PAY",
      connectorConfig: { provider: "Dummypay", name, directory: "demo" },
    });
    const connectorId = installed?.data.connectorID ?? "";
    const { connectorsResponse: list } = await v1.listAllConnectors();
    expect(list?.data.find(({ connectorID }) => connectorID === connectorId)).toMatchObject({
      provider: "DUMMY-PAY",
      name,
      enabled: true,
    });
    const target = { connector: "DUMMY-PAY", connectorId } as const;
    const config = { provider: "Dummypay", name, directory: "other" } as const;
    const updated = await v1.updateConnectorConfigV1({ ...target, connectorConfig: config });
    expect(updated.statusCode).toBe(204);
    const { connectorConfigResponse: read } = await v1.readConnectorConfigV1(target);
    expect(read?.data).toMatchObject(config);
    const { connectorsConfigsResponse: configs } = await v1.listConfigsAvailableConnectors();
    expect(Object.keys(configs?.data ?? {})).toEqual(KINDS);
    const { tasksCursor } = await v1.listConnectorTasksV1(target);
    expect(tasksCursor?.cursor.data).toHaveLength(3);
    const taskId = `florin-${connectorId}-FETCH_ACCOUNTS`;
    const { taskResponse } = await v1.getConnectorTaskV1({ ...target, taskId });
    expect(taskResponse?.data).toMatchObject({ id: taskId, status: "ACTIVE" });
    expect((await v1.resetConnectorV1(target)).statusCode).toBe(204);
    const successor = await eventually(async () => {
      const { connectorsResponse: now } = await v1.listAllConnectors();
      const found = now?.data.find((it) => it.name === name && it.connectorID !== connectorId);
      expect(found?.name).toBe(name);
      return found;
    });
    const next = { ...target, connectorId: successor?.connectorID ?? "" };
    expect((await v1.uninstallConnectorV1(next)).statusCode).toBe(204);
    await expect.poll(() => codeOf(v1.readConnectorConfigV1(next))).toBe("NOT_FOUND");
  });

  test("connectors of the first generation refuse what does not fit with typed errors", async () => {
    const unknown = { connector: "DUMMY-PAY", connectorId: UNKNOWN } as const;
    expect(await codeOf(v1.readConnectorConfigV1(unknown))).toBe("NOT_FOUND");
    expect(await codeOf(v1.resetConnectorV1(unknown))).toBe("NOT_FOUND");
    expect(await codeOf(v1.uninstallConnectorV1({ ...unknown, connectorId: "odd" }))).toBe(
      "INVALID_ID",
    );
    expect(await codeOf(v1.listConnectorTasksV1(unknown))).toBe("NOT_FOUND");
    expect(await codeOf(v1.getConnectorTaskV1({ ...unknown, taskId: "x" }))).toBe("NOT_FOUND");
    const connectorConfig = { provider: "Dummypay", name: "ab", directory: "demo" } as const;
    const install = v1.installConnector({ connector: "DUMMY-PAY", connectorConfig });
    expect(await codeOf(install)).toBe("VALIDATION");
  });
});

describe("the object of a connector", () => {
  const objectOf = (id: string) => env.CONNECTORS.getByName(referenceOf(id));
  const storageOf = (id: string) =>
    runInDurableObject(objectOf(id), async (_, { storage }) => ({
      values: [...storage.kv.list()].length,
      alarm: await storage.getAlarm(),
    }));

  test("the object of a connector goes on after its end in the middle of a poll, and keeps nothing when the connector is gone", async () => {
    const connectorID = await installDummypay({ pollingPeriod: "200ms" });
    const { lastSuccessAt } = await polled(connectorID);
    await endObject(objectOf(connectorID));
    // Whatever was cut off, the alarm is set, to half a minute later at most.
    await runDurableObjectAlarm(objectOf(connectorID));
    await polled(connectorID, lastSuccessAt);
    expect(await storageOf(connectorID)).toMatchObject({ values: 1 });
    const { v3UninstallConnectorResponse: begun } = await v3.uninstallConnector({ connectorID });
    await ended(begun?.data.taskID ?? "");
    await eventually(async () =>
      expect(await storageOf(connectorID)).toEqual({ values: 0, alarm: null }),
    );
  });

  test("the object of a connector stores nothing where it was never told of a connector", async () => {
    expect(await storageOf(UNKNOWN)).toEqual({ values: 0, alarm: null });
  });
});

test("a token that may only read installs, changes and removes nothing", async () => {
  const connectorID = await installDummypay();
  const { v3: reader, v1: earlier } = sdk({ bearer: await token("payments:read") }).payments;
  const v3ConnectorConfig = { provider: "Dummypay", name: freshName(), directory: "x" } as const;
  const target = { connector: "DUMMY-PAY", connectorId: connectorID } as const;
  const calls = [
    reader.installConnector({ connector: "dummypay", v3ConnectorConfig }),
    reader.v3UpdateConnectorConfig({ connectorID, v3ConnectorConfig }),
    reader.resetConnector({ connectorID }),
    reader.uninstallConnector({ connectorID }),
    earlier.uninstallConnectorV1(target),
    earlier.resetConnectorV1(target),
  ];
  for (const call of calls) expect(await codeOf(call)).toBe("VALIDATION");
  const { v3ConnectorsCursorResponse: list } = await reader.listConnectors({
    query: { $match: { id: connectorID } },
  });
  expect(list?.cursor.data).toMatchObject([{ id: connectorID, scheduledForDeletion: false }]);
  const without = await api("/api/payments/v3/connectors", { token: null });
  expect(without.status).toBe(401);
});

describe("announcements of providers", () => {
  test("announcements of providers find no configuration, whatever the method, and need no token", async () => {
    const id = await installDummypay();
    const send = async (path: string, method = "POST") => {
      const response = await api(`/api/payments/${path}`, { method, token: null });
      return [response.status, (await response.json<{ errorMessage: string }>()).errorMessage];
    };
    const none = [404, "[NOT_FOUND] webhook config not found"];
    expect(await send(`v3/connectors/webhooks/${id}/root`)).toEqual(none);
    expect(await send(`v3/connectors/webhooks/${id}/a/b?x=1`, "GET")).toEqual(none);
    expect(await send(`connectors/webhooks/Adyen/${id}/standard`)).toEqual(none);
    const missing = [404, "[NOT_FOUND] cannot get connector: not found"];
    expect(await send(`v3/connectors/webhooks/${UNKNOWN}/root`)).toEqual(missing);
    expect((await send("v3/connectors/webhooks/odd/root"))[0]).toBe(400);
    expect((await send(`connectors/webhooks/stripe/${id}/root`))[0]).toBe(404);
  });
});
