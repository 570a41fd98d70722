import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ConfigStore } from "#modules/webhooks/configs/config-store.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { failureOf, webhooks } from "#test/support/webhooks/configs.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const CONFIGS = "/api/webhooks/configs";
const SECRET = "hush%2Dhush";
const NEXT = "lull-lull";
const HIDDEN = /hush|lull/;

/** A URL with a secret, and its form with the secret masked. */
function freshUrl() {
  const base = `https://${freshName("hook")}.example.com/in?of=books`;
  return { base, url: `${base}&token=${SECRET}`, shown: `${base}&token=***` };
}

/** Creates a config through the SDK. */
async function create(url: string, eventTypes = [`ledger.${freshName("type")}`]) {
  const answer = await webhooks.insertConfig({ endpoint: url, eventTypes });
  const data = answer.configResponse?.data;
  if (data === undefined) throw new Error("the config was not made");
  return data;
}

const urlOf = async (id: string) => (await ConfigStore.from(env).findTarget(id))?.endpoint;

const idsWith = async (endpoint: string): Promise<string[]> => {
  const answer = await api(`${CONFIGS}?endpoint=${encodeURIComponent(endpoint)}`);
  const { cursor } = await answer.json<{ cursor: { data: { id: string }[] } }>();
  return cursor.data.map(({ id }) => id);
};

describe("a secret in the URL of a webhook", () => {
  test("a secret in the URL of a webhook is encrypted where it is stored, and no answer shows it", async () => {
    const { url, shown } = freshUrl();
    const { id, endpoint, secret } = await create(url);
    expect(endpoint).toBe(shown);
    await webhooks.deactivateConfig({ id });
    await webhooks.activateConfig({ id });
    await webhooks.changeConfigSecret({ id });
    const answers = [
      await api(`${CONFIGS}?id=${id}`),
      await api(`${CONFIGS}/${id}/activate`, { method: "PUT" }),
      await api(`${CONFIGS}/${id}/secret/change`, { method: "PUT", body: { secret } }),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.stringContaining(shown)]);
      expect(text).not.toMatch(HIDDEN);
    }
    const dump = await dumpOf(env.DB);
    expect(dump).toContain(shown);
    expect(dump).not.toMatch(HIDDEN);
    expect(await urlOf(id)).toBe(url);
  });

  test("a secret in the URL of a webhook finds the config, as does its mask, and another one does not", async () => {
    const { url, shown, base } = freshUrl();
    const { id } = await create(url);
    expect(await idsWith(url)).toEqual([id]);
    expect(await idsWith(shown)).toEqual([id]);
    expect(await idsWith(`${base}&token=${NEXT}`)).toEqual([]);
  });

  test("a secret in the URL of a webhook goes to the endpoint, and is shown by no attempt, whatever the endpoint answers", async () => {
    const bench = new EndpointBench();
    bench.respond = (call) => new Response(`${call.url} is hush-hush`);
    const { url, shown } = freshUrl();
    const config = await create(url);
    await bench.publish(eventFor(config));
    const [delivery] = await bench.settled(config.id, "succeeded");
    expect(bench.callsTo(url)).toHaveLength(1);
    const attempts = await api(`/api/webhooks/deliveries/${delivery?.id ?? ""}/attempts`);
    const text = await attempts.text();
    expect(text).toContain(shown);
    expect(text).toContain(`${shown} is ***`);
    expect(text).not.toMatch(HIDDEN);
    const result = await bodyOf(await api(`${CONFIGS}/${config.id}/test`));
    expect(result).toMatchObject({ data: { status: "success", config: { endpoint: shown } } });
    expect(bench.callsTo(url)).toHaveLength(2);
  });

  test("a secret in the URL of a webhook stays when its mask comes back, and is replaced by another one", async () => {
    const { url, shown, base } = freshUrl();
    const { id, eventTypes } = await create(url);
    const update = (endpoint: string) =>
      webhooks.updateConfig({ id, configUser: { endpoint, eventTypes } });
    await update(shown.replace("of=books", "of=notes"));
    expect(await urlOf(id)).toBe(url.replace("of=books", "of=notes"));
    await update(shown.replace("***", "%2A%2A%2A"));
    expect(await urlOf(id)).toBe(url);
    await update(`${base}&token=${NEXT}`);
    expect(await urlOf(id)).toBe(`${base}&token=${NEXT}`);
    await update(base);
    expect(await urlOf(id)).toBe(base);
    expect(await idsWith(base)).toEqual([id]);
  });

  test("a secret in the URL of a webhook is given to no other server, and a mask that stands for nothing is refused", async () => {
    const { url, shown, base } = freshUrl();
    const { id, eventTypes } = await create(url);
    const update = async (endpoint: string) => {
      const configUser = { endpoint, eventTypes };
      const { errorCode, errorMessage } = await failureOf(
        webhooks.updateConfig({ id, configUser }),
      );
      expect(errorCode).toBe("VALIDATION");
      return errorMessage;
    };
    expect(await update(shown.replace("https://", "https://other-"))).toContain(
      "names another server: send the secret again",
    );
    expect(await update(`${base}&api_key=***`)).toContain("endpoint?api_key has the mask '***'");
    expect(await urlOf(id)).toBe(url);
    const refused = await api(CONFIGS, { body: { endpoint: shown, eventTypes } });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("there is no secret to keep"),
    ]);
  });
});
