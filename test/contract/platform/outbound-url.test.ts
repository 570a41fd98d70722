import { expect, test } from "vitest";
import { urlProblem } from "#platform/http/outbound.ts";
import { OUTBOUND_URLS } from "#test/support/platform/outbound/outbound-urls.ts";

test.each(OUTBOUND_URLS)("a URL is judged alike in workerd and in Node: %j, %s", (url, problem) => {
  expect(urlProblem(url, { allowPrivateHosts: false })).toBe(problem);
});
