import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { admissionOf } from "#platform/admission/admission.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const authorized = async () => ({ headers: { authorization: `Bearer ${await token()}` } });

test("an event stream beyond the share is answered with 429 at once, and a reader who leaves makes room", async () => {
  const server = isolate({ FLORIN_LIMIT_STREAMS: "2" });
  const open = async () => server("/api/florin/v1/events/stream", await authorized());
  const first = await open();
  expect(first.status).toBe(200);
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({
    errorCode: "VALIDATION",
    errorMessage: expect.stringContaining("too many event streams") as unknown,
  });
  await first.body?.cancel();
  const next = await open();
  expect(next.status).toBe(200);
  await next.body?.cancel();
});

test("an export beyond the share is answered with 429 at once, until the one before was read", async () => {
  const ledger = freshName();
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  const server = isolate({ FLORIN_LIMIT_EXPORTS: "1" });
  const path = `/api/ledger/v2/${ledger}/logs/export`;
  const start = async () => server(path, { method: "POST", ...(await authorized()) });
  const first = await start();
  expect(first.status).toBe(200);
  expect((await start()).status).toBe(429);
  await first.text();
  expect((await (await start()).text()).length).toBe(0);
});

test("work that has ended leaves nothing behind in the budgets", async () => {
  await api("/api/ledger/v2", {});
  await api("/api/ledger/v2/unknown-ledger/accounts", {});
  await api("/api/auth/oauth/token", { method: "POST", body: "grant_type=nothing" });
  for (const kind of ["request", "credential"] as const) {
    expect(admissionOf(env).loadOf(kind)).toEqual({ active: 0, waiting: 0, payers: 0 });
  }
});
