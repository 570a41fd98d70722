import { describe, expect, test } from "vitest";
import { urlProblem } from "#platform/http/outbound.ts";
import { isPublicAddress } from "#platform/http/public-hosts.ts";
import { OUTBOUND_URLS } from "#test/support/platform/outbound/outbound-urls.ts";

describe("the outbound policy without private hosts", () => {
  test.each(OUTBOUND_URLS)("%j: %s", (url, problem) => {
    expect(urlProblem(url, { allowPrivateHosts: false })).toBe(problem);
  });
});

describe("the outbound policy with private hosts", () => {
  test.each(OUTBOUND_URLS)(
    "%j has no problem with its host if private hosts are allowed",
    (url, problem) => {
      const expected =
        problem?.endsWith("which is not a public host") === true ? undefined : problem;
      expect(urlProblem(url, { allowPrivateHosts: true })).toBe(expected);
    },
  );
});

/** IP addresses in the forms that DNS returns. */
test.each([
  ["93.184.216.34", true],
  ["2606:4700:4700::1111", true],
  ["2606:4700:0:0:0:0:0:1", true],
  ["127.0.0.1", false],
  ["10.1.2.3", false],
  ["169.254.169.254", false],
  ["::1", false],
  ["::", false],
  ["fe80::1%eth0", false],
  ["fd00:ec2::254", false],
  ["::ffff:10.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::10.0.0.1", false],
  ["2002:a00:1::", false],
  ["", false],
  ["example.com", false],
  ["999.1.1.1", false],
  ["2606", false],
  ["2606:4700::1::1", false],
])("%j as an address: %s", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});
