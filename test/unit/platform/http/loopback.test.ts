import { expect, test } from "vitest";
import { isLoopbackHost } from "#platform/http/loopback.ts";

const hostOf = (url: string): string => new URL(url).hostname;

test.each([
  "http://localhost",
  "http://127.0.0.1:8787",
  "http://127.1",
  "http://[::1]/",
  "http://LOCALHOST",
])("%s is this machine", (url) => {
  expect(isLoopbackHost(hostOf(url))).toBe(true);
});

test.each([
  "http://127.example.com",
  "http://127.0.0.1.example.com",
  "http://localhost.example.com",
  "http://x.localhost",
  "http://10.0.0.1",
  "http://[::2]",
  "http://0.0.0.0",
])("%s is not this machine", (url) => {
  expect(isLoopbackHost(hostOf(url))).toBe(false);
});
