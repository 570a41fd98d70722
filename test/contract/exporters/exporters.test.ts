import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { createApp } from "#src/app.ts";
import {
  EXPORTERS,
  FakeEndpoint,
  freshExporter,
  freshPipeline,
} from "#test/support/exporters/pipelines.ts";
import { freshLedger, inLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, BASE_URL, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const { v2 } = sdk().ledger;

/** The official client sends no token with the operations of exporters, although they need a token. */
const signed = { headers: { authorization: `Bearer ${await token()}` } };

describe("exporters, through the official client", () => {
  test("exporters, through the official client, are created, listed, read, replaced and deleted", async () => {
    const created = await v2.createExporter({ driver: "noop", config: {} }, signed);
    expect(created.statusCode).toBe(201);
    const { data } = created.v2CreateExporterResponse ?? {};
    expect(data).toMatchObject({ driver: "noop", config: {} });
    const exporterID = data?.id ?? "";
    const config = {
      url: "https://logs.example.com/in",
      batching: { maxItems: 10, flushInterval: "2s" },
    };
    const v2ExporterConfiguration = { driver: "http", config };
    const replaced = await v2.updateExporter({ exporterID, v2ExporterConfiguration }, signed);
    expect(replaced.statusCode).toBe(204);
    const read = await v2.getExporterState({ exporterID }, signed);
    expect(read.v2GetExporterStateResponse?.data).toEqual({ ...data, driver: "http", config });
    const listed = await v2.listExporters(signed);
    const { cursor } = listed.v2ExportersCursorResponse ?? {};
    expect(cursor?.data.find(({ id }) => id === exporterID)).toMatchObject({ config });
    expect((await v2.deleteExporter({ exporterID }, signed)).statusCode).toBe(204);
  });

  test("exporters, through the official client, are refused with codes that it knows", async () => {
    const bad = { driver: "http", config: {} };
    expect(await codeOf(v2.createExporter(bad, signed))).toBe("VALIDATION");
    const unknown = { exporterID: UNKNOWN };
    // The body is checked before the exporter is looked up.
    expect(
      await codeOf(v2.updateExporter({ ...unknown, v2ExporterConfiguration: bad }, signed)),
    ).toBe("VALIDATION");
    const good = { driver: "noop", config: {} };
    expect(
      await codeOf(v2.updateExporter({ ...unknown, v2ExporterConfiguration: good }, signed)),
    ).toBe("NOT_FOUND");
    expect(await codeOf(v2.getExporterState(unknown, signed))).toBe("NOT_FOUND");
    expect(await codeOf(v2.deleteExporter(unknown, signed))).toBe("NOT_FOUND");
    // The call has no token, because the client sends none with the operations of exporters.
    expect(await codeOf(v2.listExporters())).toBe("VALIDATION");
  });
});

describe("an exporter", () => {
  test("an exporter is refused with the name of the wrong field", async () => {
    const refuse = async (body: unknown) => {
      const response = await api(EXPORTERS, { body });
      return [response.status, ((await bodyOf(response)) as { details?: string }).details];
    };
    expect(await refuse({ driver: "nope", config: {} })).toEqual([400, "driver"]);
    expect(await refuse({})).toEqual([400, "driver"]);
    expect(await refuse({ driver: "http" })).toEqual([400, "config"]);
    expect(await refuse({ driver: "http", config: { url: "" } })).toEqual([400, "config.url"]);
    expect(await refuse({ driver: "r2", config: { binding: "DB" } })).toEqual([
      400,
      "config.binding",
    ]);
    const refusal = await refusalOf(api(EXPORTERS, { body: { driver: 5 } }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test("an exporter never shows its secret, stores it encrypted, and keeps it when the mask is sent back", async () => {
    const endpoint = new FakeEndpoint();
    const authentication = { username: "elastic", password: "hunter2-secret" };
    const config = { endpoint: endpoint.url, authentication, batching: { flushInterval: "1ms" } };
    const created = await api(EXPORTERS, { body: { driver: "elasticsearch", config } });
    const createdText = await created.text();
    const { id } = (parseJson(createdText) as { data: { id: string } }).data;
    const path = `${EXPORTERS}/${id}`;
    const shown = await (await api(path)).text();
    expect(createdText).toBe(shown);
    const listed = await (await api(EXPORTERS)).text();
    for (const text of [createdText, shown, listed]) expect(text).not.toContain("hunter2");
    const row = env.DB.prepare("SELECT * FROM exporters WHERE id = ?").bind(id);
    expect(JSON.stringify(await row.first())).not.toContain("hunter2");

    const { data } = parseJson(shown) as { data: { driver: string; config: typeof config } };
    expect(data.config).toEqual({
      ...config,
      authentication: { username: "elastic", password: "***" },
    });
    const body = { driver: data.driver, config: { ...data.config, index: "own" } };
    expect((await api(path, { method: "PUT", body })).status).toBe(204);
    const moved = { ...body.config, endpoint: "http://elsewhere.example.com" };
    expect(
      await refusalOf(api(path, { method: "PUT", body: { ...body, config: moved } })),
    ).toMatchObject({ status: 400, code: "VALIDATION" });

    const answered = new FakeEndpoint(`${endpoint.url}/_bulk`);
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    await freshPipeline(ledger, id);
    await eventually(() => expect(answered.requests).not.toEqual([]));
    expect(answered.requests[0]?.headers.get("authorization")).toBe(
      `Basic ${btoa("elastic:hunter2-secret")}`,
    );
    expect(answered.requests[0]?.body).toContain('"_index":"own"');
  });

  test("an exporter that can't be decrypted is shown with an error, and the others as usual", async () => {
    const config = { url: "https://logs.example.com/in" };
    const [other, lost] = [
      await freshExporter("http", config),
      await freshExporter("http", config),
    ];
    const box = new SecretBox({
      FLORIN_SECRET_KEY: btoa("x".repeat(32)),
      FLORIN_PREVIOUS_SECRET_KEYS: [],
    });
    const sealed = box.seal(stringifyJson(config), `exporter config ${lost}`);
    await env.DB.prepare("UPDATE exporters SET config = ? WHERE id = ?").bind(sealed, lost).run();
    const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
    const { v2ExportersCursorResponse: listed } = await v2.listExporters(signed);
    const read = await v2.getExporterState({ exporterID: lost }, signed);
    const lines = logged.mock.calls.map(([line]) => String(line));
    logged.mockRestore();
    const find = (id: string) => listed?.cursor?.data.find((exporter) => exporter.id === id);
    expect(find(other)?.config).toMatchObject(config);
    expect(find(lost)).toMatchObject({ driver: "http", config: {} });
    expect(read.v2GetExporterStateResponse?.data).toEqual(find(lost));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toContain("the config of an exporter can't be decrypted");
      expect(line).toContain(lost);
      expect(line).toContain("FLORIN_PREVIOUS_SECRET_KEYS");
    }
    const path = `${EXPORTERS}/${lost}`;
    const errorOf = async () =>
      ((await bodyOf(await api(path))) as { data: { error?: string } }).data.error;
    expect(await errorOf()).toContain("the stored config can't be decrypted");
    // A mask can't stand for a secret that is lost, but a complete config repairs the exporter.
    const masked = { driver: "http", config: { url: "https://logs.example.com/?token=***" } };
    expect((await api(path, { method: "PUT", body: masked })).status).toBe(400);
    expect((await api(path, { method: "PUT", body: { driver: "http", config } })).status).toBe(204);
    expect(await errorOf()).toBeUndefined();
  });

  test("an exporter needs a token that may write", async () => {
    for (const bearer of [null, await token("ledger:read")]) {
      const body = { driver: "noop", config: {} };
      expect((await api(EXPORTERS, { body, token: bearer })).status).toBe(401);
    }
    expect((await api(`${EXPORTERS}/`, { token: await token("ledger:read") })).status).toBe(200);
  });

  test("an exporter has no routes in a deployment without exporters", async () => {
    const app = createApp();
    const off = { ...env, FLORIN_EXPORTERS: "false" };
    const ledger = await freshLedger();
    for (const path of [
      EXPORTERS,
      `/api/ledger/v2/${ledger}/pipelines`,
      `/api/florin/v1/ledgers/${ledger}/pipelines`,
    ]) {
      const headers = { authorization: `Bearer ${await token()}` };
      const answer = await app.fetch(new Request(BASE_URL + path, { headers }), off);
      expect(await refusalOf(answer)).toMatchObject({ status: 404, code: "NOT_FOUND" });
      expect((await api(path)).status).toBe(200);
    }
  });
});

describe("pipelines, through the official client", () => {
  test("pipelines, through the official client, are created, listed, read, stopped, started, reset and deleted", async () => {
    const ledger = await freshLedger();
    const exporterID = await freshExporter("noop");
    const created = await v2.createPipeline(
      { ledger, v2CreatePipelineRequest: { exporterID } },
      signed,
    );
    expect(created.statusCode).toBe(201);
    const { data } = created.v2CreatePipelineResponse ?? {};
    expect(data).toMatchObject({ ledger, exporterID, enabled: true });
    const target = { ledger, pipelineID: data?.id ?? "" };
    const listed = await v2.listPipelines({ ledger }, signed);
    expect(listed.v2PipelinesCursorResponse?.cursor?.data).toEqual([data]);
    expect((await v2.stopPipeline(target, signed)).statusCode).toBe(202);
    const stopped = await v2.getPipelineState(target, signed);
    expect(stopped.v2GetPipelineStateResponse?.data).toMatchObject({ enabled: false });
    expect((await v2.startPipeline(target, signed)).statusCode).toBe(202);
    expect((await v2.resetPipeline(target, signed)).statusCode).toBe(202);
    expect((await v2.deletePipeline(target, signed)).statusCode).toBe(204);
    const left = await v2.listPipelines({ ledger }, signed);
    expect(left.v2PipelinesCursorResponse?.cursor?.data).toEqual([]);
  });

  test("pipelines, through the official client, are refused with codes that it knows", async () => {
    const ledger = await freshLedger();
    const exporterID = await freshExporter("noop");
    const create = (name: string, exporter: string) =>
      codeOf(
        v2.createPipeline(
          { ledger: name, v2CreatePipelineRequest: { exporterID: exporter } },
          signed,
        ),
      );
    const pipelineID = await freshPipeline(ledger, exporterID);
    expect(await create(ledger, exporterID)).toBe("VALIDATION");
    expect(await create(ledger, UNKNOWN)).toBe("NOT_FOUND");
    expect(await create(freshName(), exporterID)).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.listPipelines({ ledger: freshName() }, signed))).toBe(
      "LEDGER_NOT_FOUND",
    );
    const target = { ledger, pipelineID };
    expect(await codeOf(v2.startPipeline(target, signed))).toBe("VALIDATION");
    await v2.stopPipeline(target, signed);
    expect(await codeOf(v2.stopPipeline(target, signed))).toBe("NOT_FOUND");
    const other = await freshLedger();
    for (const unknown of [
      { ledger, pipelineID: "nope" },
      { ledger: other, pipelineID },
    ]) {
      const calls = [
        v2.getPipelineState.bind(v2),
        v2.startPipeline.bind(v2),
        v2.stopPipeline.bind(v2),
        v2.resetPipeline.bind(v2),
        v2.deletePipeline.bind(v2),
      ];
      for (const call of calls) expect(await codeOf(call(unknown, signed))).toBe("NOT_FOUND");
    }
    const body = { exporterID: "" };
    expect(await refusalOf(inLedger(ledger, "/pipelines", { body }))).toMatchObject({
      status: 400,
    });
  });
});
