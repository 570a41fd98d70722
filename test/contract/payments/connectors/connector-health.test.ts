import { afterAll, expect, test, vi } from "vitest";
import { healthOf, installGeneric, polled, v3 } from "#test/support/payments/installs.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const nothing = async () => Response.json([]);
const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(nothing);
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

test("a connector polls a provider, tells what goes wrong, and goes on when the configuration is changed", async () => {
  const fail = { title: "Bad key", detail: "psp-key is not known" };
  fetch.mockImplementation(async () => Response.json(fail, { status: 401 }));
  const name = freshName("generic");
  const endpoint = "http://psp.example";
  const connectorID = await installGeneric(endpoint, { name });
  const failing = await eventually(async () => {
    const health = await healthOf(connectorID);
    expect(health.schedules.map(({ failedRuns }) => failedRuns)).toEqual([1, 1, 1]);
    return health;
  });
  expect(failing).toMatchObject({
    status: "failing",
    lastError: expect.stringMatching(
      /^GET \/[a-z]+: the provider answered 401: Bad key: \*\*\* is not known$/,
    ) as string,
  });
  const listed = async () => {
    const query = encodeURIComponent(JSON.stringify({ $match: { name } }));
    const path = `/api/florin/v1/payments/connectors/health?query=${query}`;
    const { cursor } = await (
      await api(path)
    ).json<{ cursor: { data: readonly Record<string, unknown>[] } }>();
    return cursor.data;
  };
  const { schedules: _schedules, webhooks: _webhooks, ...summary } = failing;
  expect(await listed()).toEqual([summary]);
  const shown = await v3.listConnectors({ query: { $match: { name } } });
  expect(shown.v3ConnectorsCursorResponse?.cursor.data).toMatchObject([{ id: connectorID }]);
  const list = await api(`/api/payments/v3/connectors?pageSize=1000`);
  expect(await list.text()).toContain('"state":"failing"');
  fetch.mockImplementation(nothing);
  const v3ConnectorConfig = { provider: "Generic", name, endpoint, apiKey: "new" } as const;
  await v3.v3UpdateConnectorConfig({ connectorID, v3ConnectorConfig });
  expect(await polled(connectorID)).toMatchObject({ status: "healthy" });
  await eventually(async () =>
    expect(await listed()).toMatchObject([{ connectorID, name, status: "healthy" }]),
  );
});
