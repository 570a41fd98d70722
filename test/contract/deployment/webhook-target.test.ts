import { expect, test } from "vitest";
import { api } from "#test/support/platform/api.ts";

const PATH = "/api/florin/v1/webhook-target";
const ID = "2f6ac5cf-9de5-4a9b-a1c6-3f4ad2f5e3a1";

test("the target takes a webhook without a token, and answers nothing", async () => {
  const response = await api(PATH, {
    method: "POST",
    token: "",
    headers: { "formance-webhook-id": ID },
    body: { type: "ledger.committed_transactions" },
  });
  expect(response.status).toBe(204);
  expect(await response.text()).toBe("");
});

test("what is no webhook is refused", async () => {
  const response = await api(PATH, { method: "POST", token: "", body: {} });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errorCode: "VALIDATION" });
});
