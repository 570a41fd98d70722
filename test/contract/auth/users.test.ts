import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { api, token } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk.ts";

describe("users", () => {
  test("are listed in the order in which they came, and read one by one", async () => {
    const ada = await storePerson({ name: "Ada", scopes: ["ledger:read"] });
    const bob = await storePerson();
    const { v1 } = sdk().auth;
    const { listUsersResponse } = await v1.listUsers();
    const views = [ada, bob].map(({ id, subject, email }) => ({ id, subject, email }));
    expect(listUsersResponse?.data?.slice(-2)).toEqual(views);
    const { readUserResponse } = await v1.readUser({ userId: bob.id });
    expect(readUserResponse?.data).toEqual(views[1]);
  });

  test("answer with the reference's fields only, in its order", async () => {
    const { id, subject, email } = await storePerson({ name: "Ada" });
    const response = await api(`/api/auth/users/${id}`, { token: await token("auth:read") });
    expect(await response.text()).toBe(
      `{"data":{"id":"${id}","subject":"${subject}","email":"${email}"}}`,
    );
  });

  test("answer 404 for a user that does not exist", async () => {
    const response = await api("/api/auth/users/nobody");
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      errorCode: "NOT_FOUND",
      errorMessage: "[NOT_FOUND] there is no user 'nobody'",
    });
  });

  test.each(["/users", "/users/", "/users/1"])("need a scope of auth: %s", async (path) => {
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
