import { describe, expect, test } from "vitest";
import { problemOf } from "./lists.ts";
import {
  BASE_URL,
  type Bench,
  CONNECTOR_ID,
  type Conformance,
  openBench,
  type Sent,
  toWebhook,
  type WebhookCase,
} from "./subject.ts";
import type { RegisteredWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import { present } from "#platform/assert.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

/**
 * Webhooks are registered once, only deliveries that the provider has signed are accepted, and repeated deliveries are
 * recognised.
 */
export function webhookConformance<P extends FakePsp>(subject: Conformance<P>): void {
  const { webhooks } = subject;
  if (webhooks === undefined) return;
  const open = () => openWebhooks(subject, webhooks);

  describe("webhooks", () => {
    test("webhooks are registered, once however often that is asked for", async () => {
      const { bench, register } = open();
      const first = await register();
      const count = webhooks.registered?.(bench.psp);
      expect(count).not.toBe(0);
      for (const { urlPath } of first) expect(urlPath).toMatch(/^\/./);
      const second = await register(first);
      expect(webhooks.registered?.(bench.psp)).toBe(count);
      expect(second.map(({ urlPath }) => urlPath)).toEqual(first.map(({ urlPath }) => urlPath));
    });

    test("webhooks are verified after a registration whose result was lost", async () => {
      const { register, verify, deliver } = open();
      await register();
      const configs = await register();
      expect(await verify(configs, deliver(configs))).toHaveProperty("key");
      // After a change of the configuration, webhooks are registered again, and stored ones are known.
      const renewed = await register(configs);
      expect(await verify(renewed, deliver(renewed))).toHaveProperty("key");
    });

    test("webhooks have a key, the same for a delivery that is replayed and another for another one", async () => {
      const { register, verify, deliver } = open();
      const configs = await register();
      const sent = deliver(configs);
      const first = await verify(configs, sent);
      expect(first).toHaveProperty("key");
      expect(await verify(configs, sent)).toEqual(first);
      expect(await verify(configs, deliver(configs))).not.toEqual(first);
    });

    testForgeries(webhooks, open);
    testAge(webhooks, open);

    test("webhooks report valid objects, and nothing where they are of an unknown type", async () => {
      const { bench, register, deliver, urlPathOf } = open();
      const configs = await register();
      const translate = (sent: Sent) =>
        present(bench.plugin.webhooks, "it has webhooks").translate(
          toWebhook(configOf(configs, urlPathOf(configs)), sent),
        );
      const report = await translate(deliver(configs));
      const { accounts = [], externalAccounts = [], payments = [], balances = [] } = report;
      for (const item of [...accounts, ...externalAccounts]) {
        expect(problemOf("FETCH_ACCOUNTS", item)).toBeUndefined();
      }
      for (const item of payments) expect(problemOf("FETCH_PAYMENTS", item)).toBeUndefined();
      for (const item of balances) expect(problemOf("FETCH_BALANCES", item)).toBeUndefined();
      expect(Object.values(report).flat().length).toBeGreaterThan(0);
      const unknown = webhooks.unknown(bench.psp, { urlPath: urlPathOf(configs), at: NOW });
      expect(Object.values(await translate(unknown)).flat()).toEqual([]);
    });

    testRemoval(webhooks, open);
  });
}

function testRemoval<P extends FakePsp>(
  { registered, addForeign }: WebhookCase<P>,
  open: () => Opened<P>,
): void {
  if (registered === undefined || addForeign === undefined) return;
  test("webhooks are removed with the installation, and those of others stay", async () => {
    const { bench, register } = open();
    addForeign(bench.psp);
    const configs = await register();
    const uninstall = present(bench.plugin.uninstall, "it removes what it has registered");
    const installation = { connectorId: CONNECTOR_ID, webhooks: configs };
    await uninstall(installation);
    expect(registered(bench.psp)).toBe(1);
    await uninstall(installation);
    expect(registered(bench.psp)).toBe(1);
  });
}

type Opened<P> = ReturnType<typeof openWebhooks<P & FakePsp>>;

function testForgeries<P extends FakePsp>(
  { forgeries }: WebhookCase<P>,
  open: () => Opened<P>,
): void {
  if (forgeries === undefined) return;
  test.each(["body", "signature", "absence"] as const)(
    "webhooks are refused when they are forged: %s",
    async (forgery) => {
      const { register, verify, deliver } = open();
      const configs = await register();
      const forged = forgeries[forgery](deliver(configs));
      expect(await verify(configs, forged)).toHaveProperty("refused");
    },
  );

  test.each(["", "{}", "null", "[]", "no JSON"])(
    "webhooks are refused with the body '%s'",
    async (body) => {
      const { register, verify, deliver } = open();
      const configs = await register();
      expect(await verify(configs, { ...deliver(configs), body })).toHaveProperty("refused");
    },
  );
}

function testAge<P extends FakePsp>({ toleranceMs }: WebhookCase<P>, open: () => Opened<P>): void {
  if (toleranceMs === undefined) return;
  test.each([
    ["old", -1],
    ["of the future", 1],
  ] as const)("webhooks are refused when they are too %s", async (_, sign) => {
    const { register, verify, deliver } = open();
    const configs = await register();
    const near = fromMillis(toMillis(NOW) + sign * (toleranceMs - 1000));
    expect(await verify(configs, deliver(configs, near))).toHaveProperty("key");
    const far = fromMillis(toMillis(NOW) + sign * (toleranceMs + 1000));
    expect(await verify(configs, deliver(configs, far))).toHaveProperty("refused");
  });
}

function openWebhooks<P extends FakePsp>(subject: Conformance<P>, webhooks: WebhookCase<P>) {
  const bench: Bench<P> = openBench(subject);
  const on = webhooks.parent?.(bench.psp) ?? {};
  const parent = on.other ?? on.parent;
  const plugin = present(bench.plugin.webhooks, "it has webhooks");
  const urlPathOf = (configs: readonly RegisteredWebhook[]): string =>
    webhooks.urlPath ?? configs[0]?.urlPath ?? "";
  return {
    bench,
    urlPathOf,
    register: async (registered: readonly RegisteredWebhook[] = []) => {
      await webhooks.arrange?.(bench);
      return plugin.create({
        baseUrl: BASE_URL,
        connectorId: CONNECTOR_ID,
        registered,
        ...(parent === undefined ? {} : { parent }),
      });
    },
    deliver: (configs: readonly RegisteredWebhook[], at = NOW): Sent =>
      webhooks.deliver(bench.psp, { urlPath: urlPathOf(configs), at }),
    verify: (configs: readonly RegisteredWebhook[], sent: Sent) =>
      plugin.verify(toWebhook(configOf(configs, urlPathOf(configs)), sent)),
  };
}

const configOf = (configs: readonly RegisteredWebhook[], path: string): RegisteredWebhook =>
  present(
    configs.find(({ urlPath }) => urlPath === path),
    `${path} is registered`,
  );
