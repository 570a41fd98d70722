import { expect, test } from "vitest";
import { failingEndpoints } from "#console/places/home/failing-endpoints.ts";

const delivery = (configID: string, createdAt: string, attemptCount: number) => ({
  configID,
  createdAt,
  attemptCount,
  lastError: "HTTP status 500",
});

test("an endpoint fails once a delivery has failed again, since the oldest such delivery", () => {
  expect(
    failingEndpoints([
      delivery("shop", "2026-11-28T12:03:00Z", 0),
      delivery("shop", "2026-11-28T12:02:00Z", 2),
      delivery("books", "2026-11-28T12:01:00Z", 1),
      delivery("shop", "2026-11-28T12:00:00Z", 7),
    ]),
  ).toEqual([{ id: "shop", since: "2026-11-28T12:00:00Z", note: "HTTP status 500" }]);
});
