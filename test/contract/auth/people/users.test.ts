import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { api, token } from "#test/support/platform/api.ts";

describe("users", () => {
  test("users answer with the reference's fields only, in its order", async () => {
    const { id, subject, email } = await storePerson({ name: "Ada" });
    const response = await api(`/api/auth/users/${id}`, { token: await token("auth:read") });
    expect(await response.text()).toBe(
      `{"data":{"id":"${id}","subject":"${subject}","email":"${email}"}}`,
    );
  });

  test("users answer 404 for a user that does not exist", async () => {
    const response = await api("/api/auth/users/nobody");
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      errorCode: "NOT_FOUND",
      errorMessage: "[NOT_FOUND] there is no user 'nobody'",
    });
  });

  test.each(["/users", "/users/", "/users/1"])("users need a scope of auth: %s", async (path) => {
    const response = await api(`/api/auth${path}`, { token: await token("ledger:read") });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("insufficient_scope");
  });
});

test("a person is found by the subject of a token, with the scopes and claims", async () => {
  const ada = await storePerson({ name: "Ada", emailVerified: false, scopes: ["ledger:read"] });
  expect(await findPerson({ env }, ada.id)).toEqual(ada);
  expect(await findPerson({ env }, ada.subject)).toBeUndefined();
});
