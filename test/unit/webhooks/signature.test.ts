import { createHmac } from "node:crypto";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  signatureHeaders,
  type SignedMessage,
  SigningSecret,
  SigningSecrets,
} from "#modules/webhooks/calls/signature.ts";
import { fromMillis } from "#platform/time.ts";

const SECRET = "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3";
const OLD_SECRET = btoa("the secret before it was");
const OTHER_SECRET = btoa("a secret of someone else");
const ID = "3f0e1c2a-9b57-4a0e-8d1f-5c2b7a6e4d90";
const TIMESTAMP = 1_767_225_600;
const TEST_BODY = '{"data":"test"}';
const EVENT_BODY =
  '{"idempotency_key":"","date":"2026-01-01T00:00:00Z","app":"ledger","version":"v2","type":"ledger.saved_metadata","payload":{"ledger":"default","metadata":{"tier":"gold"},"targetId":"users:001","targetType":"ACCOUNT"}}';

const messageOf = (body: string, timestampSeconds = TIMESTAMP) => ({
  id: ID,
  timestampSeconds,
  body,
});

const sign = (secret: string, message: SignedMessage) => new SigningSecret(secret).sign(message);
const headersBy = (secrets: readonly string[], message: SignedMessage) =>
  signatureHeaders(
    secrets.map((secret) => new SigningSecret(secret)),
    message,
  );

describe("a signature of the reference", () => {
  test("a signature of the reference has the base64 text of the secret as its key", () => {
    expect(new TextEncoder().encode(EVENT_BODY)).toHaveLength(217);
    expect(sign(SECRET, messageOf(EVENT_BODY))).toHaveProperty(
      "reference",
      "v1,UIv543k9YAhEVxNq8HvvBYdSeN3KuhKdy0aH8s9w368=",
    );
    expect(sign(SECRET, messageOf(TEST_BODY))).toHaveProperty(
      "reference",
      "v1,AZJTtItDjo88EwKybwl4r6p2wg6Ywp6R65qtkt8iwMY=",
    );
  });

  test("a signature of the reference is over the UTF-8 bytes of the body", () => {
    const { reference } = sign(SECRET, messageOf("é"));
    const other = createHmac("sha256", SECRET).update(`${ID}.${TIMESTAMP}.é`, "utf8");
    expect(reference).toBe(`v1,${other.digest("base64")}`);
  });
});

test("a signature of Standard Webhooks has the bytes of the secret as its key", () => {
  expect(sign(SECRET, messageOf(EVENT_BODY))).toHaveProperty(
    "standard",
    "v1,WTUvj/dS5bmAcukohmCSJQABCZBpNqHndIKXbdj7BSk=",
  );
});

test("a secret signs many messages, each with its own signature", () => {
  const secret = new SigningSecret(SECRET);
  const messages = Array.from({ length: 20 }, (_, index) => messageOf(`body ${index}`));
  const signatures = messages.map((message) => secret.sign(message));
  expect(signatures).toEqual(messages.map((message) => sign(SECRET, message)));
  expect(new Set(signatures.map(({ standard }) => standard)).size).toBe(20);
});

test("replaced secrets sign until they expire, newest first, and are made ready once", () => {
  const secrets = new SigningSecrets({
    current: SECRET,
    previous: [
      { secret: OLD_SECRET, validUntil: fromMillis(2000) },
      { secret: OTHER_SECRET, validUntil: fromMillis(1000) },
    ],
  });
  const all = secrets.validAt(999);
  expect(all).toHaveLength(3);
  expect(secrets.validAt(1000)).toEqual(all.slice(0, 2));
  const [now] = secrets.validAt(2000);
  expect(now).toBe(all[0]);
  expect(secrets.validAt(2000)).toHaveLength(1);
  expect(new SigningSecrets({ current: SECRET, previous: [] }).validAt(0)).toHaveLength(1);
});

describe("the headers of a request", () => {
  test("the headers of a request have a signature by each secret in both schemes, in the order of the secrets", () => {
    const message = messageOf(EVENT_BODY);
    const old = sign(OLD_SECRET, message);
    expect(headersBy([SECRET, OLD_SECRET], message)).toEqual({
      "formance-webhook-id": ID,
      "formance-webhook-timestamp": "1767225600",
      "formance-webhook-signature": `v1,UIv543k9YAhEVxNq8HvvBYdSeN3KuhKdy0aH8s9w368= ${old.reference}`,
      "webhook-id": ID,
      "webhook-timestamp": "1767225600",
      "webhook-signature": `v1,WTUvj/dS5bmAcukohmCSJQABCZBpNqHndIKXbdj7BSk= ${old.standard}`,
    });
  });

  // The package refuses messages that are older than five minutes.
  const sentNow = (body: string) => messageOf(body, Math.floor(Date.now() / 1000));

  test.each([
    ["the secret", SECRET],
    ["the secret with its prefix", `whsec_${SECRET}`],
    ["the old secret", OLD_SECRET],
  ])(
    "the headers of a request are accepted by a Standard Webhooks library that knows %s",
    (_which, known) => {
      const body = '{"text":"é \\u2028 €"}';
      const headers = headersBy([SECRET, OLD_SECRET], sentNow(body));
      expect(new Webhook(known).verify(body, headers)).toEqual({ text: "é \u2028 €" });
    },
  );

  test("the headers of a request are refused by one that knows another secret, or gets another body", () => {
    const headers = headersBy([SECRET, OLD_SECRET], sentNow(TEST_BODY));
    const verify = (secret: string, body: string): unknown =>
      new Webhook(secret).verify(body, headers);
    expect(() => verify(OTHER_SECRET, TEST_BODY)).toThrow(WebhookVerificationError);
    expect(() => verify(SECRET, '{"data":"tesT"}')).toThrow(WebhookVerificationError);
    expect(() => verify(SECRET, TEST_BODY)).not.toThrow();
  });

  test("the headers of a request of the reference are refused by the bytes of the secret", () => {
    const headers = headersBy([SECRET], sentNow(TEST_BODY));
    const renamed = {
      ...headers,
      "webhook-signature": headers["formance-webhook-signature"] ?? "",
    };
    expect(() => new Webhook(SECRET).verify(TEST_BODY, renamed)).toThrow(WebhookVerificationError);
    // The package decodes its key from base64, so the secret is encoded for it.
    expect(() => new Webhook(btoa(SECRET)).verify(TEST_BODY, renamed)).not.toThrow();
  });
});
