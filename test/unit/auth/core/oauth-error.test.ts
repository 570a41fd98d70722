import { expect, test } from "vitest";
import { OAuthError, toDescription, toOAuthError } from "#modules/auth/core/oauth-error.ts";
import { AppError, PLATFORM_ERRORS } from "#platform/errors.ts";

test("a failed authentication of the client is 401, every other refusal 400", () => {
  const statusOf = ({ kind }: OAuthError) =>
    PLATFORM_ERRORS[kind as keyof typeof PLATFORM_ERRORS].status;
  expect(statusOf(new OAuthError("invalid_client"))).toBe(401);
  expect(statusOf(new OAuthError("unauthorized_client"))).toBe(400);
  expect(statusOf(new OAuthError("unsupported_grant_type", "x not supported"))).toBe(400);
});

test("failures other than OAuth errors get the nearest code", () => {
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
