import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { arm as armDeployment } from "#modules/deployment/arming/change.ts";
import { readArmingOf } from "#modules/deployment/arming/read.ts";
import { armingSection } from "#modules/deployment/arming/status.ts";
import { decodeConnectorId } from "#modules/payments/core/ids.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import {
  arm,
  armForTheNextFile,
  armingState,
  asOperator,
  disarm,
} from "#test/support/deployment/arming.ts";
import { installDummypay, UNKNOWN } from "#test/support/payments/installs.ts";
import { api, bodyOf, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

interface Entry {
  readonly action: string;
  readonly object: string;
  readonly note: string | null;
}

/** The entries of the audit about arming, the newest first. */
async function audited(): Promise<Entry[]> {
  const { results } = await env.DB.prepare(
    "SELECT action, object, note FROM audit WHERE action GLOB 'deployment.*arm' ORDER BY id DESC",
  ).all<Entry>();
  return results;
}

/** Stores a payout of a connector that is due in a hundred years, so that nobody sends it. */
async function openMovement(reference: string): Promise<void> {
  await env.DB.prepare(MOVEMENT).bind(reference).run();
}
const MOVEMENT = `
  INSERT INTO payment_movements (connector_key, initiation_key, task, mark, signature, due_at, claims, failures)
  SELECT key, key, 'task', 'mark', '', '2126-03-01T09:30:00.000000Z', 0, 0 FROM payment_connectors WHERE reference = ?`;

/** Stores a look-up under way of a connector whose provider is away. */
const LOOKUP = `
  INSERT INTO payment_lookups
  SELECT key, '2026-03-01T09:30:00.000000Z', '2026-03-01T09:30:00.000000Z', NULL, 0, 0, '2126-03-01T09:30:00.000000Z', 1,
    '2026-03-01T09:31:00.000000Z', 'the key is not known'
  FROM payment_connectors WHERE reference = ?`;

interface Section {
  readonly name: string;
  readonly state: string;
  readonly problems: readonly { readonly severity: string; readonly why: string }[];
}

async function sectionOf(): Promise<Section | undefined> {
  const response = await api("/api/florin/v1/status?module=deployment");
  const { data } = await response.json<{ data: { sections: Section[] } }>();
  return data.sections.find(({ name }) => name === "arming");
}

afterAll(armForTheNextFile);
beforeEach(async () => {
  await env.DB.exec("DELETE FROM disarmament");
  await env.DB.exec("DELETE FROM armed_connectors");
  await env.DB.exec("DELETE FROM payment_lookups");
});

describe("the switch of a deployment", () => {
  test("the switch of a deployment needs its scope and a token that is bound to no ledgers", async () => {
    const { token: bound } = await clientWith({
      scopes: ["florin:operate"],
      metadata: { ledgers: "mine" },
    });
    for (const bearer of [bound, await token("payments:write"), "nonsense"]) {
      expect((await asOperator("/arming", undefined, bearer)).status).toBe(401);
      expect((await asOperator("/disarm", {}, bearer)).status).toBe(401);
      expect((await asOperator("/arm", {}, bearer)).status).toBe(401);
    }
    expect(await armingState()).toEqual({ armed: true, connectors: [] });
  });

  test("the switch of a deployment shows since when it is disarmed, by whom and why, and the audit has each change", async () => {
    const state = await disarm({ note: "payouts to the wrong account" });
    expect(state).toMatchObject({
      armed: false,
      reason: "operator",
      note: "payouts to the wrong account",
      by: { clientId: expect.any(String) as string },
      connectors: [],
    });
    expect(await armingState()).toEqual(state);
    expect(await arm()).toEqual({ armed: true, connectors: [] });
    expect((await audited()).slice(0, 2)).toEqual([
      { action: "deployment.state.arm", object: "deployment", note: null },
      {
        action: "deployment.state.disarm",
        object: "deployment",
        note: "operator: payouts to the wrong account",
      },
    ]);
  });

  test("the switch of a deployment stays as it is when it is used twice", async () => {
    const { revision: _, ...first } = await disarm({ note: "first" });
    expect(await disarm()).toMatchObject(first);
    const [one, two] = await Promise.all([asOperator("/arm", {}), asOperator("/arm", {})]);
    for (const answer of [one, two]) {
      expect(await bodyOf(answer)).toEqual({ data: { armed: true, connectors: [] } });
    }
    const entries = await audited();
    expect(
      entries.filter(({ action }) => action === "deployment.state.arm").length,
    ).toBeGreaterThan(0);
    await arm();
    expect(await audited()).toEqual(entries);
  });

  test("the switch of a deployment arms nothing that somebody else has disarmed since the operator has looked", async () => {
    const connectorID = await installDummypay();
    const seen = await disarm({ note: "first" });
    const now = await disarm({ note: "second" });
    expect(now).toMatchObject({ since: seen.since, note: "second" });
    expect(now.revision).not.toBe(seen.revision);
    for (const body of [{}, { connectorID }]) {
      const refused = await asOperator("/arm", { ...body, revision: seen.revision });
      expect(refused.status).toBe(409);
    }
    expect(await armingState()).toEqual(now);
    const revision = now.revision ?? "";
    expect(await arm({ connectorID, revision })).toMatchObject({
      connectors: [{ id: connectorID }],
    });
    expect(await arm({ revision })).toMatchObject({ armed: true });
  });

  test("the switch of a deployment takes no body, too", async () => {
    const answer = await api("/api/florin/v1/disarm", { method: "POST" });
    expect(await bodyOf(answer)).toMatchObject({ data: { armed: false, reason: "operator" } });
    expect((await api("/api/florin/v1/arm", { method: "POST" })).status).toBe(200);
  });

  test("the switch of a restored deployment asks whether the original is stopped, also if somebody has disarmed it before", async () => {
    await disarm({ note: "before" });
    expect(await disarm({ reason: "restored" })).toMatchObject({
      reason: "restored",
      note: "before",
    });
    await disarm();
    const refused = await asOperator("/arm", {});
    expect(refused.status).toBe(400);
    expect(await bodyOf(refused)).toMatchObject({
      errorMessage: expect.stringContaining("make sure that the original is stopped") as string,
    });
    expect(await armingState()).toMatchObject({ armed: false });
    expect(await arm({ originalIsStopped: true })).toMatchObject({ armed: true });
  });

  test("the switch of a restored deployment is not used for everything while connectors have open payments, unless they may be paid twice", async () => {
    const [idle, busy] = [await installDummypay(), await installDummypay()];
    const { reference } = present(decodeConnectorId(busy), "it was just given");
    await env.DB.prepare("DELETE FROM payment_movements").run();
    await disarm({ reason: "restored" });
    await openMovement(reference);
    const stopped = { originalIsStopped: true };
    const refused = await asOperator("/arm", stopped);
    expect(refused.status).toBe(409);
    expect(await bodyOf(refused)).toMatchObject({
      errorMessage: expect.stringMatching(/ 1 payouts, .*--connector .*--may-pay-twice/) as string,
    });
    expect(await armingState()).toMatchObject({ armed: false, connectors: [] });
    expect((await arm({ ...stopped, connectorID: idle })).connectors).toHaveLength(1);
    const twice = { ...stopped, mayPayTwice: true };
    expect((await arm({ ...twice, connectorID: busy })).connectors).toContainEqual(
      expect.objectContaining({ id: busy, phase: "armed" }),
    );
    // What is open belongs to a connector that is armed already.
    expect(await arm(stopped)).toMatchObject({ armed: true });
    expect((await audited()).slice(0, 3)).toMatchObject([
      { action: "deployment.state.arm", object: "deployment", note: "the original is stopped" },
      { action: "deployment.connector.arm", object: `connectors/${reference}/may-pay-twice` },
      { action: "deployment.connector.arm", note: "the original is stopped" },
    ]);
    const entries = await api("/api/florin/v1/audit?action=deployment.state.disarm&pageSize=1");
    expect(await bodyOf(entries)).toMatchObject({ cursor: { data: [{ note: "restored" }] } });
    await env.DB.prepare("DELETE FROM payment_movements").run();
  });

  test("the switch of a deployment shows look-ups that go on when everything is armed, and leaves them out on demand", async () => {
    const [one, two] = [await installDummypay(), await installDummypay()];
    const referenceOf = (id: string) => present(decodeConnectorId(id), "it is an id").reference;
    // They are away, and are asked again in a hundred years.
    for (const id of [one, two]) await env.DB.prepare(LOOKUP).bind(referenceOf(id)).run();
    const looking = {
      phase: "looking",
      armedAt: "2026-03-01T09:30:00Z",
      failingSince: "2026-03-01T09:31:00Z",
      error: "the key is not known",
    };
    const state = await armingState();
    expect(state.armed).toBe(true);
    expect(state.connectors).toHaveLength(2);
    for (const id of [one, two]) expect(state.connectors).toContainEqual({ id, ...looking });
    // Without the operator's word, nothing changes.
    const before = await audited();
    expect(await arm({ connectorID: one })).toEqual(state);
    expect(await audited()).toEqual(before);
    const twice = { mayPayTwice: true };
    expect((await arm({ ...twice, connectorID: one })).connectors).toEqual([
      { id: two, ...looking },
    ]);
    // An operator disarms the deployment meanwhile.
    await disarm();
    expect(await arm(twice)).toEqual({ armed: true, connectors: [] });
    expect(await arm(twice)).toEqual({ armed: true, connectors: [] });
    expect((await audited()).slice(0, 4)).toMatchObject([
      { action: "deployment.state.arm", object: "deployment/may-pay-twice" },
      { action: "deployment.state.arm", object: "deployment/may-pay-twice" },
      { action: "deployment.state.disarm" },
      {
        action: "deployment.connector.arm",
        object: `connectors/${referenceOf(one)}/may-pay-twice`,
      },
    ]);
  });

  test("the switch of a deployment arms connectors one at a time, and disarming ends that", async () => {
    const connectorID = await installDummypay();
    await disarm();
    const state = await arm({ connectorID });
    expect(state).toMatchObject({ armed: false, connectors: [{ id: connectorID }] });
    expect(await arm({ connectorID })).toEqual(state);
    expect(await disarm()).toMatchObject({ armed: false, connectors: [] });
    await arm({ connectorID });
    await arm();
    await disarm();
    expect(await armingState()).toMatchObject({ connectors: [] });
  });

  test("the switch of a deployment forgets a connector that was armed and is uninstalled", async () => {
    const connectorID = await installDummypay();
    await disarm();
    await arm({ connectorID });
    const path = `/api/payments/v3/connectors/${connectorID}`;
    expect((await api(path, { method: "DELETE" })).status).toBe(202);
    await eventually(async () => expect(await armingState()).toMatchObject({ connectors: [] }));
    expect(await armingState()).toMatchObject({ armed: false });
  });

  test("the switch of a deployment refuses what is no connector", async () => {
    await disarm();
    expect((await asOperator("/arm", { connectorID: UNKNOWN })).status).toBe(404);
    expect((await asOperator("/arm", { connectorID: "nonsense" })).status).toBe(400);
    expect(await armingState()).toMatchObject({ armed: false, connectors: [] });
  });
});

test("a deployment that its setting disarms says so, and no request arms it", async () => {
  const context = systemContext(Object.assign({}, env, { FLORIN_DISARMED: "restored" }), "test");
  await expect(
    armDeployment(context, { originalIsStopped: true, mayPayTwice: true }),
  ).rejects.toMatchObject({
    kind: "CONFLICT",
    message: expect.stringContaining("the setting FLORIN_DISARMED") as string,
  });
  expect(await readArmingOf(context)).toEqual({
    setting: "restored",
    disarmed: undefined,
    connectors: [],
  });
  const { samples, problems } = await armingSection.read(context);
  expect(samples).toMatchObject([{ value: 1 }]);
  expect(problems).toMatchObject([
    { severity: "critical", why: expect.stringContaining("FLORIN_DISARMED is restored") as string },
  ]);
});

test("a deployment that is disarmed is not well, says why and what to do, and has a metric", async () => {
  expect(await sectionOf()).toMatchObject({ state: "ok", problems: [] });
  await disarm({ note: "see incident 7" });
  expect(await sectionOf()).toMatchObject({
    state: "critical",
    problems: [
      {
        severity: "critical",
        why: expect.stringContaining('noting "see incident 7"') as string,
        whatToDo: expect.stringContaining("npm run florin -- arm") as string,
      },
    ],
  });
  const metrics = await (await api("/metrics")).text();
  expect(metrics).toContain("\nflorin_disarmed 1\n");
});
