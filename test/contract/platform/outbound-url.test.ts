import { expect, test } from "vitest";
import { urlProblem } from "#platform/http/outbound.ts";
import { OUTBOUND_URLS } from "#test/support/platform/outbound/outbound-urls.ts";

test.each(OUTBOUND_URLS)("this runtime judges %j as any other: %s", (url, problem) => {
  expect(urlProblem(url, { allowPrivateHosts: false })).toBe(problem);
});
