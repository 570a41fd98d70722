import { expect, test } from "vitest";
import { sign } from "#modules/webhooks/signature.ts";

const SECRET = "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3";
const ID = "3f0e1c2a-9b57-4a0e-8d1f-5c2b7a6e4d90";
const TIMESTAMP = 1_767_225_600;

test("signs with the base64 text of the secret as the key", () => {
  const body =
    '{"idempotency_key":"","date":"2026-01-01T00:00:00Z","app":"ledger","version":"v2","type":"ledger.saved_metadata","payload":{"ledger":"default","metadata":{"tier":"gold"},"targetId":"users:001","targetType":"ACCOUNT"}}';
  expect(new TextEncoder().encode(body)).toHaveLength(217);
  expect(sign(SECRET, { id: ID, timestampSeconds: TIMESTAMP, body })).toBe(
    "v1,UIv543k9YAhEVxNq8HvvBYdSeN3KuhKdy0aH8s9w368=",
  );
});

test("signs the body of a test request", () => {
  const message = { id: ID, timestampSeconds: TIMESTAMP, body: '{"data":"test"}' };
  expect(sign(SECRET, message)).toBe("v1,AZJTtItDjo88EwKybwl4r6p2wg6Ywp6R65qtkt8iwMY=");
});

test("signs the UTF-8 bytes of a body", () => {
  const message = { id: ID, timestampSeconds: TIMESTAMP };
  expect(sign(SECRET, { ...message, body: "é" })).not.toBe(sign(SECRET, { ...message, body: "e" }));
});
