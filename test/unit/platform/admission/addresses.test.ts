import { describe, expect, test } from "vitest";
import {
  clientAddressOf,
  isInNetwork,
  parseNetwork,
  senderOf,
} from "#platform/admission/addresses.ts";
import { present } from "#platform/assert.ts";

const network = (text: string) => present(parseNetwork(text), "the test names a network");

describe("an address", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ])("the address %s stands for the sender %s", (address, sender) => {
    expect(senderOf(address)).toBe(sender);
  });

  test.each([
    "",
    "localhost",
    "256.0.0.1",
    "1.2.3",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "::12345",
    "1:2:3:4:5:6:7:8:9",
    "1.2.3.4::",
  ])("the address %j is none", (text) => {
    expect(senderOf(text)).toBeUndefined();
  });
});

test("a network has the addresses that begin with its bits", () => {
  expect(isInNetwork("10.1.2.3", network("10.0.0.0/8"))).toBe(true);
  expect(isInNetwork("::ffff:10.1.2.3", network("10.0.0.0/8"))).toBe(true);
  expect(isInNetwork("11.1.2.3", network("10.0.0.0/8"))).toBe(false);
  expect(isInNetwork("10.0.0.129", network("10.0.0.128/25"))).toBe(true);
  expect(isInNetwork("10.0.0.127", network("10.0.0.128/25"))).toBe(false);
  expect(isInNetwork("2001:db8:0:ff::1", network("2001:db8::/48"))).toBe(true);
  expect(isInNetwork("10.0.0.1", network("::/0"))).toBe(false);
  for (const wrong of ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "proxy"]) {
    expect(parseNetwork(wrong)).toBeUndefined();
  }
});

describe("the sender of a request that came through proxies", () => {
  const trusted = [network("10.0.0.0/8"), network("::1")];

  test.each([
    ["is the socket's end where that is no proxy of ours", "192.0.2.1", "203.0.113.7", "192.0.2.1"],
    ["is whom the proxy names", "10.0.0.1", "203.0.113.7", "203.0.113.7"],
    [
      "is whom the first of several proxies names",
      "10.0.0.1",
      "203.0.113.7, 10.0.0.2",
      "203.0.113.7",
    ],
    ["is not what the sender says", "10.0.0.1", "198.51.100.9, 203.0.113.7", "203.0.113.7"],
    ["is the proxy where it names nobody", "::1", null, "::1"],
    ["is the proxy where it names no address", "10.0.0.1", "unknown", "10.0.0.1"],
    ["is the first proxy where all are ours", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ])("the sender of a request through proxies %s", (...[, peer, forwardedFor, sender]) => {
    expect(clientAddressOf(peer, { forwardedFor, trusted })).toBe(sender);
  });
});
