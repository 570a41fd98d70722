import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PAYMENT_EVENT_TYPES } from "#modules/payments/payments/event-types.ts";
import { compressBody, decompressBody } from "#modules/webhooks/bodies/body-compression.ts";

test("a stored body is the same text again, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (body) => {
      const whole = body.toWellFormed();
      expect(decompressBody(compressBody(whole))).toBe(whole);
    }),
  );
  const large = '{"payload":"' + "€x".repeat(200_000) + '"}';
  expect(decompressBody(compressBody(large))).toBe(large);
});

test("a body of a payment takes less than half of its length", () => {
  const { example } = PAYMENT_EVENT_TYPES.SAVED_PAYMENT;
  const body = `{"idempotency_key":"7f3c","date":"2026-03-01T09:30:00Z","app":"payments","version":"v3.0.0","type":"payments.saved_payment","payload":${JSON.stringify(example)}}`;
  const stored = compressBody(body);
  expect(body.length).toBeGreaterThan(600);
  expect(stored.length).toBeLessThan(body.length / 2);
});

test("a body in the form of a later version is refused with a sentence", () => {
  expect(() => decompressBody(Buffer.of(9, 1, 2))).toThrow(
    "a later version has stored the body, in the form 9",
  );
});
