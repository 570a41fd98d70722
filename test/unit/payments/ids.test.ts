import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  type ConnectorId,
  decodeConnectorId,
  decodeLinkState,
  decodeOwnedId,
  decodePaymentAdjustmentId,
  decodePaymentId,
  encodeConnectorId,
  encodeEventId,
  encodeLinkState,
  encodeOrderAdjustmentId,
  encodeOwnedId,
  encodePaymentAdjustmentId,
  encodePaymentId,
  encodeStatusChangeId,
  idempotencyKeyOf,
  NO_CONNECTOR,
  ownedIdsOf,
  toOwnedJson,
} from "#modules/payments/core/ids.ts";
import { fromMillis } from "#platform/time.ts";

const GENERIC: ConnectorId = {
  provider: "generic",
  reference: "11111111-2222-4333-8444-555555555555",
};
const GENERIC_TEXT =
  "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ";
const ACCOUNT = { connector: GENERIC, reference: "acc-1" };
const ACCOUNT_TEXT =
  "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoiYWNjLTEifQ";
const PAYMENT = {
  connector: { provider: "moneycorp", reference: "7d4e5237-3c09-450e-8869-26c060af2377" },
  reference: "test",
  type: "PAY-IN",
} as const;
const PAYMENT_TEXT =
  "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6Im1vbmV5Y29ycCIsIlJlZmVyZW5jZSI6IjdkNGU1MjM3LTNjMDktNDUwZS04ODY5LTI2YzA2MGFmMjM3NyJ9LCJSZWZlcmVuY2UiOiJ0ZXN0IiwiVHlwZSI6IlBBWS1JTiJ9";

const encodeJson = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

describe("ids", () => {
  test("ids are those of the documented examples, in both directions", () => {
    expect(encodeConnectorId(GENERIC)).toBe(GENERIC_TEXT);
    expect(encodeOwnedId(ACCOUNT)).toBe(ACCOUNT_TEXT);
    expect(encodePaymentId(PAYMENT)).toBe(PAYMENT_TEXT);
    expect(decodeConnectorId(GENERIC_TEXT)).toEqual(GENERIC);
    expect(decodeOwnedId(ACCOUNT_TEXT)).toEqual(ACCOUNT);
    expect(decodePaymentId(PAYMENT_TEXT)).toEqual(PAYMENT);
  });

  test("ids are canonical, whatever they are of", () => {
    const createdAt = fromMillis(0);
    const owned = { connector: GENERIC, reference: "b" };
    const order = { order: owned, reference: "r", status: "s" };
    const state = { randomized: "r", attemptID: GENERIC.reference };
    for (const id of [
      encodeConnectorId(GENERIC),
      encodeOwnedId(owned),
      encodePaymentId(PAYMENT),
      encodePaymentAdjustmentId({ payment: PAYMENT, reference: "a", createdAt, status: "FAILED" }),
      encodeOrderAdjustmentId(order),
      encodeOrderAdjustmentId({ ...order, baseQuantityFilled: 1n, fee: 2n, feeAsset: "EUR/2" }),
      encodeStatusChangeId("PaymentInitiationID", { id: owned, createdAt, status: "s" }),
      encodeStatusChangeId("PaymentInitiationReversalID", { id: owned, createdAt, status: "s" }),
      encodeEventId(GENERIC, "key"),
      encodeEventId(undefined, "key"),
      encodeLinkState(state),
    ]) {
      const text = Buffer.from(id, "base64url").toString();
      expect(text).toBe(canonicalJson(JSON.parse(text)));
    }
  });

  test("ids of one connector are those of each reference", () => {
    for (const provider of ["generic", "a", "ab", "abc"]) {
      const connector = { ...GENERIC, provider };
      const idOf = ownedIdsOf(connector);
      for (const reference of ["", "acc-1", 'a "b" \\ \n é 漢 🙂', "x".repeat(1000)]) {
        expect(idOf(reference)).toBe(encodeOwnedId({ connector, reference }));
      }
    }
  });

  test("ids keep any reference, written as canonical JSON", () => {
    const reference = 'a "b" \\ \n \u0001 <&> \u2028 é 漢 🙂';
    const text = encodeOwnedId({ connector: GENERIC, reference });
    expect(decodeOwnedId(text)).toEqual({ connector: GENERIC, reference });
    expect(Buffer.from(text, "base64url").toString()).toContain(
      '"a \\"b\\" \\\\ \\n \\u0001 <&> \u2028 é 漢 🙂"',
    );
  });

  test("ids of an adjustment name the payment, the time and the status", () => {
    const id = {
      payment: PAYMENT,
      reference: "refund",
      createdAt: fromMillis(1_767_258_000_120),
      status: "REFUNDED",
    } as const;
    const text = encodePaymentAdjustmentId(id);
    expect(Buffer.from(text, "base64url").toString()).toMatch(
      /^{"CreatedAt":"2026-01-01T09:00:00\.12Z","PaymentID":{.+},"Reference":"refund","Status":"REFUNDED"}$/,
    );
    expect(decodePaymentAdjustmentId(text)).toEqual(id);
  });

  test("ids of a change of status name what changed", () => {
    const change = { id: ACCOUNT, createdAt: fromMillis(0), status: "PROCESSING" };
    const text = encodeStatusChangeId("PaymentInitiationID", change);
    expect(JSON.parse(Buffer.from(text, "base64url").toString())).toEqual({
      CreatedAt: "1970-01-01T00:00:00Z",
      PaymentInitiationID: toOwnedJson(ACCOUNT),
      Status: "PROCESSING",
    });
  });

  test("ids of a task may have no connector", () => {
    const task = { connector: NO_CONNECTOR, reference: "uninstall-x" };
    expect(decodeOwnedId(encodeOwnedId(task))).toEqual(task);
    expect(decodeConnectorId(encodeConnectorId(NO_CONNECTOR))).toBeUndefined();
  });

  test("ids of the state of a link come back", () => {
    const state = { attemptID: GENERIC.reference, randomized: PAYMENT.connector.reference };
    expect(decodeLinkState(encodeLinkState(state))).toEqual(state);
    expect(decodeLinkState(encodeJson({ attemptID: "1" }))).toBeUndefined();
  });

  test("ids are read whatever the case of the names, with more members than needed", () => {
    const text = encodeJson({
      reference: "acc-1",
      extra: 1,
      connectorid: { PROVIDER: "generic", reference: GENERIC.reference },
    });
    expect(decodeOwnedId(text)).toEqual(ACCOUNT);
  });

  test.each([
    ["an empty text", ""],
    ["another alphabet", "+/=="],
    ["padding", `${ACCOUNT_TEXT}=`],
    ["no JSON", Buffer.from("{").toString("base64url")],
    ["JSON of another kind", encodeJson(["generic"])],
    ["no connector", encodeJson({ Reference: "a" })],
    ["no reference", encodeJson({ ConnectorID: { Provider: "a", Reference: GENERIC.reference } })],
    ["a connector without a UUID", encodeJson({ ConnectorID: { Provider: "a", Reference: "b" } })],
    ["a text that is far too long", "A".repeat(20_000)],
  ])("ids refuse %s", (_what, text) => {
    expect(decodeConnectorId(text)).toBeUndefined();
    expect(decodeOwnedId(text)).toBeUndefined();
    expect(decodePaymentId(text)).toBeUndefined();
    expect(decodePaymentAdjustmentId(text)).toBeUndefined();
  });

  test("ids of a payment need a type that exists", () => {
    const { connector, reference } = PAYMENT;
    const json = { ...toOwnedJson({ connector, reference }), Type: "GIFT" };
    expect(decodePaymentId(encodeJson(json))).toBeUndefined();
  });
});

describe("keys of events", () => {
  test("keys of events are the SHA-1 of the canonical JSON, as documented", () => {
    expect(idempotencyKeyOf(toOwnedJson(ACCOUNT))).toBe("93326929ec415c3d364f0c4be186faed3e6c70b2");
  });

  test("keys of events stand in the id of the event, with its connector or without one", () => {
    const read = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());
    expect(read(encodeEventId(GENERIC, "k"))).toEqual({
      ConnectorID: { Provider: "generic", Reference: GENERIC.reference },
      EventIdempotencyKey: "k",
    });
    expect(read(encodeEventId(undefined, "k"))).toEqual({
      ConnectorID: null,
      EventIdempotencyKey: "k",
    });
  });
});

test("canonical JSON orders members by code points, at every depth, and keeps large integers", () => {
  expect(canonicalJson({ b: [{ d: 1n, c: null }], a: 2n ** 70n, B: "x" })).toBe(
    '{"B":"x","a":1180591620717411303424,"b":[{"c":null,"d":1}]}',
  );
});
