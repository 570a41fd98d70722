import { describe, expect, it } from "vitest";
import { isSignedWith, WebhookReceiver } from "#scripts/lib/receiver.ts";

const SECRET = "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3";
const SIGNATURE = "v1,AZJTtItDjo88EwKybwl4r6p2wg6Ywp6R65qtkt8iwMY=";
const MESSAGE = {
  id: "3f0e1c2a-9b57-4a0e-8d1f-5c2b7a6e4d90",
  timestamp: "1767225600",
  body: '{"data":"test"}',
  signatures: SIGNATURE,
};

describe("isSignedWith", () => {
  it("isSignedWith accepts a valid signature, also among others", () => {
    expect(isSignedWith(SECRET, MESSAGE)).toBe(true);
    expect(isSignedWith(SECRET, { ...MESSAGE, signatures: `v1,AAAA ${SIGNATURE}` })).toBe(true);
  });

  it.each([
    ["another body", { body: '{"data":"Test"}' }],
    ["another time", { timestamp: "1767225601" }],
    ["another id", { id: "3f0e1c2a" }],
    ["another version", { signatures: SIGNATURE.replace("v1", "v2") }],
    ["no signature", { signatures: "undefined" }],
  ])("isSignedWith refuses %s", (_what, change) => {
    expect(isSignedWith(SECRET, { ...MESSAGE, ...change })).toBe(false);
  });
});

describe("WebhookReceiver", () => {
  it("WebhookReceiver keeps all deliveries, signed or not", async () => {
    const receiver = await WebhookReceiver.open();
    try {
      receiver.expectSecret(SECRET);
      const headers = {
        "formance-webhook-id": MESSAGE.id,
        "formance-webhook-timestamp": MESSAGE.timestamp,
        "formance-webhook-signature": SIGNATURE,
      };
      const good = await fetch(receiver.url, { method: "POST", headers, body: MESSAGE.body });
      const bare = await fetch(receiver.url, { method: "POST", body: MESSAGE.body });
      expect([good.status, bare.status]).toEqual([204, 204]);
      expect(receiver.deliveries.map(({ id, isSigned }) => [id, isSigned])).toEqual([
        [MESSAGE.id, true],
        ["undefined", false],
      ]);
    } finally {
      await receiver.close();
    }
  });
});
