import { expect, test } from "vitest";
import { parseDeliveryId, toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";

const CONFIG = "4997257d-dfb6-445b-929c-cbe2ab182818";
const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each([1, 255, 2 ** 32, 2 ** 48 - 1])(
  "the id of delivery %i leads to it and to its config",
  (seq) => {
    const id = toDeliveryId(CONFIG, seq);
    expect(id).toMatch(UUID_8);
    const address = parseDeliveryId(id.toUpperCase());
    expect(address).toEqual({ configPrefix: "4997257d-dfb6-445b-", seq });
    expect(CONFIG.startsWith(address?.configPrefix ?? "-")).toBe(true);
  },
);

test("ids of a config sort as their numbers do", () => {
  const ids = [1, 2, 15, 16, 4095, 4096, 10 ** 12].map((seq) => toDeliveryId(CONFIG, seq));
  expect(ids.toSorted()).toEqual(ids);
});

test.each([
  "",
  "x",
  CONFIG,
  toDeliveryId(CONFIG, 1).replace("-8000-", "-8001-"),
  `${toDeliveryId(CONFIG, 1)}0`,
])("%j is no id of a delivery", (id) => {
  expect(parseDeliveryId(id)).toBeUndefined();
});
