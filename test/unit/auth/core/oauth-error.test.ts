import { expect, test } from "vitest";
import { OAuthError, toDescription, toOAuthError } from "#modules/auth/core/oauth-error.ts";
import { AppError } from "#platform/errors.ts";

test("a failed authentication of the client is 401, every other refusal 400", () => {
  expect(new OAuthError("invalid_client").status).toBe(401);
  expect(new OAuthError("unauthorized_client").status).toBe(400);
  expect(new OAuthError("unsupported_grant_type", "x not supported").status).toBe(400);
});

test("other failures get the nearest code", () => {
  const known = new OAuthError("invalid_client");
  expect(toOAuthError(known)).toBe(known);
  expect(toOAuthError(new AppError("BODY_TOO_LARGE", "too large"))).toMatchObject({
    error: "invalid_request",
    description: "too large",
  });
  expect(toOAuthError(new AppError("INTERNAL", "not set"))).toMatchObject({
    error: "server_error",
  });
});

test("a description has only the characters that the standard allows", () => {
  expect(toDescription('say "a\\b" ~é\n')).toBe("say 'a?b' ~??");
  expect(toDescription("x".repeat(1000))).toHaveLength(300);
});
