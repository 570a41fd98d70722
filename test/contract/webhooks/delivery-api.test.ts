import { describe, expect, test } from "vitest";
import type { DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { present } from "#platform/assert.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { failureOf, UNKNOWN_ID, webhooks } from "#test/support/webhooks/configs.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const UNKNOWN_DELIVERY = "00000000-0000-8000-8000-000000000001";
const WEEK_AGO = new Date(Date.now() - 7 * 24 * 3_600_000);

async function list(request: Parameters<typeof webhooks.getDeliveries>[0]) {
  const answer = await webhooks.getDeliveries(request);
  return present(answer.deliveriesResponse, "a success has a body").cursor;
}

/** The status, code and message of a refusal. */
async function refusalOf(
  path: string,
  options: Parameters<typeof api>[1] = {},
): Promise<unknown[]> {
  const response = await api(`/api/webhooks/deliveries${path}`, options);
  const body = (await bodyOf(response)) as { errorCode?: string; errorMessage?: string }; // every error has this shape
  return [response.status, body.errorCode, body.errorMessage];
}

/** A config with `count` failed deliveries. */
async function withFailed(count: number, bench = new EndpointBench()) {
  bench.respond = () => new Response("not me", { status: 404 });
  const config = await bench.subscribe();
  await bench.publish(...Array.from({ length: count }, () => eventFor(config)));
  const failed = await bench.settled(config.id, "failed", count);
  return { bench, config, failed };
}

const idsOf = (deliveries: readonly Pick<DeliveryRecord, "id">[]) => deliveries.map(({ id }) => id);

describe("the list of deliveries", () => {
  test("the list of deliveries has pages, newest first, that a walk goes through once", async () => {
    const { config, failed } = await withFailed(7);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 4; page++) {
      const found = await list({
        configId: config.id,
        pageSize: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(found.pageSize).toBe(2);
      expect(found.hasMore).toBe(page < 3);
      seen.push(...idsOf(found.data));
      cursor = found.next;
    }
    expect(cursor).toBeUndefined();
    expect(seen).toEqual(idsOf(failed));
  });

  test("the list of deliveries shows those of several configs in one order, and filters by status and date", async () => {
    const bench = new EndpointBench();
    bench.respond = () => new Response(null, { status: 410 });
    const one = await bench.subscribe();
    const two = await bench.subscribe(one.eventTypes);
    const from = new Date();
    for (let count = 0; count < 3; count++) await bench.publish(eventFor(one));
    await bench.settled(one.id, "failed", 3);
    await bench.settled(two.id, "failed", 3);
    const { data } = await list({ createdAtFrom: from, status: "failed", pageSize: 1000 });
    const ours = data.filter(({ configID }) => [one.id, two.id].includes(configID));
    expect(ours).toHaveLength(6);
    const dates = ours.map(({ createdAt }) => createdAt.getTime());
    expect(dates).toEqual(dates.toSorted((a, b) => b - a));
    expect(ours[0]).not.toHaveProperty("payload");
    expect((await list({ configId: one.id, status: "succeeded" })).data).toEqual([]);
    expect((await list({ configId: one.id, createdAtTo: WEEK_AGO })).data).toEqual([]);
    expect((await list({ configId: UNKNOWN_ID })).data).toEqual([]);
  });

  test.each([
    ["?configId=x", "configId must be a UUID"],
    ["?status=done", "invalid delivery status"],
    ["?createdAtFrom=yesterday", "RFC 3339"],
    ["?pageSize=0", "pageSize must be between 1 and 1000"],
    ["?pageSize=1001", "pageSize must be between 1 and 1000"],
    ["?cursor=AAAA", "invalid cursor"],
    ["?sort=id", "unsupported query parameter: sort"],
    ["?pageSize=1&pageSize=2", "must have one value"],
  ])("the list of deliveries refuses %s", async (query, message) => {
    expect(await refusalOf(query)).toEqual([400, "VALIDATION", expect.stringContaining(message)]);
  });

  test("the list of deliveries takes an empty parameter as not given", async () => {
    const { config } = await withFailed(1);
    const path = `/api/webhooks/deliveries?configId=${config.id}&status=&cursor=&createdAtFrom=`;
    expect(await bodyOf(await api(path))).toMatchObject({
      cursor: { data: [{ configID: config.id }] },
    });
  });
});

describe("a delivery", () => {
  test("a delivery is shown with what it sends, and its attempts", async () => {
    const { bench, failed } = await withFailed(1);
    const { id } = present(failed[0], "it has failed");
    const answer = await webhooks.getDelivery({ id });
    const delivery = present(answer.deliveryResponse, "a success has a body").data;
    expect(delivery).toMatchObject({ id, status: "failed", attemptCount: 1, lastStatusCode: 404 });
    expect(delivery.payload).toBe(bench.calls[0]?.body);
    expect(delivery).not.toHaveProperty("nextAttemptAt");

    const attempts = await webhooks.getDeliveryAttempts({ id });
    const { cursor } = present(attempts.deliveryAttemptsResponse, "a success has a body");
    expect(cursor).toMatchObject({
      hasMore: false,
      data: [
        {
          deliveryID: id,
          attemptNumber: 1,
          replayGeneration: 0,
          outcome: "permanent_failure",
          statusCode: 404,
          responseExcerpt: "not me",
        },
      ],
    });
  });

  test.each([UNKNOWN_DELIVERY, "x", "%20"])("the delivery %s is not known", async (id) => {
    const key = { "idempotency-key": freshName("key") };
    for (const path of [`/${id}`, `/${id}/attempts`]) {
      expect(await refusalOf(path)).toEqual([
        404,
        "NOT_FOUND",
        expect.stringContaining("delivery not found"),
      ]);
    }
    expect(await refusalOf(`/${id}/replay`, { method: "POST", headers: key })).toEqual([
      404,
      "NOT_FOUND",
      expect.stringContaining("delivery not found"),
    ]);
  });
});

test("attempts of what cannot be a delivery are not found, whatever the query is", async () => {
  for (const query of ["pageSize=0", "cursor=AAAA"]) {
    const refusal = await refusalOf(`/unknown/attempts?${query}`);
    expect(refusal).toEqual([404, "NOT_FOUND", "[NOT_FOUND] delivery not found"]);
  }
});

describe("a replay", () => {
  test("a replay of deliveries begins anew what has failed; the same key gives the same answer", async () => {
    const { bench, config, failed } = await withFailed(1);
    const { id } = present(failed[0], "it has failed");
    bench.respond = () => new Response("ok");
    const request = { id, idempotencyKey: freshName("key") };
    const first = await webhooks.replayDelivery(request);
    expect(first.deliveryResponse?.data).toMatchObject({
      id,
      status: "pending",
      replayGeneration: 1,
      attemptCount: 0,
      lastStatusCode: 404,
    });
    await bench.settled(config.id, "succeeded");
    const again = await webhooks.replayDelivery(request);
    expect(again.deliveryResponse?.data).toEqual(first.deliveryResponse?.data);
    expect(bench.calls).toHaveLength(2);
    const other = await failureOf(
      webhooks.replayDelivery({ id, idempotencyKey: freshName("key") }),
    );
    expect(other).toMatchObject({ statusCode: 409, errorCode: "CONFLICT" });
  });

  test("a replay of deliveries happens once for two requests with one key at the same time", async () => {
    const { bench, config, failed } = await withFailed(1);
    const { id } = present(failed[0], "it has failed");
    bench.respond = () => new Response("ok");
    const request = { id, idempotencyKey: freshName("key") };
    const answers = await Promise.all([1, 2, 3].map(() => webhooks.replayDelivery(request)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    await bench.settled(config.id, "succeeded");
    expect(bench.calls).toHaveLength(2);
    expect((await bench.deliveriesOf(config.id))[0]).toMatchObject({ replayGeneration: 1 });
  });

  test("a replay of deliveries needs a key, and refuses one of another request", async () => {
    const { failed } = await withFailed(2);
    const [one, two] = idsOf(failed);
    const post = (id: unknown, headers: Record<string, string>) =>
      refusalOf(`/${String(id)}/replay`, { method: "POST", headers });
    expect(await post(one, {})).toEqual([
      400,
      "VALIDATION",
      expect.stringContaining("Idempotency-Key header is required"),
    ]);
    expect(await post(one, { "idempotency-key": "k".repeat(256) })).toEqual([
      400,
      "VALIDATION",
      expect.stringContaining("must not exceed 255"),
    ]);
    const idempotencyKey = freshName("key");
    await webhooks.replayDelivery({ id: present(one, "there are two"), idempotencyKey });
    expect(await post(two, { "idempotency-key": idempotencyKey })).toEqual([
      409,
      "CONFLICT",
      expect.stringContaining("idempotency key already used with another request"),
    ]);
  });

  test("a replay of many deliveries goes through the window in pages, oldest first, once for each key", async () => {
    const { bench, config, failed } = await withFailed(5);
    bench.respond = () => new Response("ok");
    const filter = { createdAtFrom: WEEK_AGO, configIds: [config.id], pageSize: 2 };
    const counts: number[] = [];
    let more: { cursor?: string; createdAtTo?: Date } = {};
    for (let page = 0; page < 3; page++) {
      const idempotencyKey = freshName("key");
      const request = { idempotencyKey, replayDeliveriesRequest: { ...filter, ...more } };
      const answers = [
        await webhooks.replayDeliveries(request),
        await webhooks.replayDeliveries(request),
      ];
      const [first, again] = answers.map(
        (answer) => present(answer.replayDeliveriesResponse, "a success has a body").data,
      );
      expect(again).toEqual(first);
      const result = present(first, "there is an answer");
      counts.push(result.replayed);
      expect(result).toMatchObject({ hasMore: page < 2, skipped: 0 });
      more =
        result.nextCursor === undefined
          ? {}
          : { cursor: result.nextCursor, createdAtTo: result.createdAtTo };
    }
    expect(counts).toEqual([2, 2, 1]);
    const done = await bench.settled(config.id, "succeeded", 5);
    expect(done.map(({ replayGeneration }) => replayGeneration)).toEqual([1, 1, 1, 1, 1]);
    expect(bench.calls).toHaveLength(10);
    expect(idsOf(done)).toEqual(idsOf(failed));
  });

  test("a replay of many deliveries follows its cursor for as many configs as it may name", async () => {
    const { config } = await withFailed(2);
    const others = Array.from({ length: 499 }, () => crypto.randomUUID());
    const filter = { createdAtFrom: WEEK_AGO, configIds: [config.id, ...others], pageSize: 1 };
    const ask = async (more: object) => {
      const replayDeliveriesRequest = { ...filter, ...more };
      const answer = await webhooks.replayDeliveries({
        idempotencyKey: freshName("key"),
        replayDeliveriesRequest,
      });
      return present(answer.replayDeliveriesResponse, "a success has a body").data;
    };
    const first = await ask({});
    expect(first).toMatchObject({ replayed: 1, hasMore: true });
    const second = await ask({ cursor: first.nextCursor });
    expect(second).toMatchObject({ replayed: 1, hasMore: false });
  });

  test("a replay of many deliveries takes an empty list of statuses as both", async () => {
    const { config } = await withFailed(1);
    const answer = await webhooks.replayDeliveries({
      idempotencyKey: freshName("key"),
      replayDeliveriesRequest: {
        createdAtFrom: WEEK_AGO,
        configIds: [config.id],
        statuses: [],
      },
    });
    expect(answer.replayDeliveriesResponse?.data).toMatchObject({ replayed: 1, hasMore: false });
  });

  test("a replay of many deliveries leaves inactive configs out", async () => {
    const { bench, config } = await withFailed(1);
    await bench.configs.setActive(config.id, false);
    const answer = await webhooks.replayDeliveries({
      idempotencyKey: freshName("key"),
      replayDeliveriesRequest: { createdAtFrom: WEEK_AGO, configIds: [config.id] },
    });
    expect(answer.replayDeliveriesResponse?.data).toMatchObject({
      replayed: 0,
      expedited: 0,
      hasMore: false,
    });
  });

  test.each([
    [{}, "createdAtFrom is required"],
    [
      { createdAtFrom: "2020-01-01T00:00:00Z" },
      "replay window must be positive and at most 90 days",
    ],
    [{ createdAtFrom: WEEK_AGO, createdAtTo: "2020-01-01T00:00:00Z" }, "replay window"],
    [{ createdAtFrom: WEEK_AGO, pageSize: 1001 }, "pageSize must be between 1 and 1000"],
    [{ createdAtFrom: WEEK_AGO, statuses: ["succeeded"] }, "only accepts failed and pending"],
    [{ createdAtFrom: WEEK_AGO, configIds: ["x"] }, "configIds must contain UUIDs"],
    [{ createdAtFrom: WEEK_AGO, cursor: "AAAA" }, "invalid replay cursor"],
    [{ createdAtFrom: WEEK_AGO, other: 1 }, "unknown field other"],
  ])("a replay of many deliveries refuses %j", async (body, message) => {
    const headers = { "idempotency-key": freshName("key") };
    const refusal = await refusalOf("/replay", { method: "POST", body, headers });
    expect(refusal).toEqual([400, "VALIDATION", expect.stringContaining(message)]);
  });

  test("a replay of many deliveries refuses the cursor of another request", async () => {
    const { config } = await withFailed(2);
    const ask = (idempotencyKey: string, more: object) =>
      webhooks.replayDeliveries({
        idempotencyKey,
        replayDeliveriesRequest: {
          createdAtFrom: WEEK_AGO,
          configIds: [config.id],
          pageSize: 1,
          ...more,
        },
      });
    const { replayDeliveriesResponse } = await ask(freshName("key"), {});
    const cursor = present(replayDeliveriesResponse?.data.nextCursor, "there is more");
    const refusal = await failureOf(ask(freshName("key"), { cursor, statuses: ["pending"] }));
    expect(refusal).toMatchObject({ statusCode: 400, errorCode: "VALIDATION" });
    expect(refusal.message).toContain("replay cursor does not match request filters");
  });
});

test("deliveries need a token, and replays one that may write", async () => {
  const { failed } = await withFailed(1);
  const id = present(failed[0], "it has failed").id;
  for (const [method, path, scope] of [
    ["GET", "", "ledger:read"],
    ["GET", `/${id}`, "ledger:read"],
    ["GET", `/${id}/attempts`, "ledger:read"],
    ["POST", `/${id}/replay`, "webhooks:read"],
    ["POST", "/replay", "webhooks:read"],
  ] as const) {
    for (const bearer of [null, await token(scope)]) {
      expect((await refusalOf(path, { method, token: bearer }))[0]).toBe(401);
    }
  }
  await eventually(async () =>
    expect((await webhooks.getDelivery({ id })).deliveryResponse?.data.status).toBe("failed"),
  );
});
