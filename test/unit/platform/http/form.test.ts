import { expect, test } from "vitest";
import { parseForm } from "#platform/http/body.ts";

test("the parser of forms decodes names and values", () => {
  expect(
    parseForm("grant_type=client_credentials&scope=a+b%20c&%C3%A9=%F0%9F%98%80&x=1=2"),
  ).toEqual({
    grant_type: "client_credentials",
    scope: "a b c",
    é: "😀",
    x: "1=2",
  });
});

test("the parser of forms treats a parameter without a value as absent", () => {
  expect(parseForm("")).toEqual({});
  expect(parseForm("a=&b&&c=1")).toEqual({ c: "1" });
});

test("the parser of forms keeps all values of a repeated parameter", () => {
  expect(parseForm("a=1&b=2&a=3&a=&a=4")).toEqual({ a: ["1", "3", "4"], b: "2" });
});

test("the parser of forms treats no name as special", () => {
  expect(Object.entries(parseForm("__proto__=1&constructor=2"))).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

test.each(["a=%", "a=%zz", "%ff=1", "a=%e0%80"])(
  "the parser of forms refuses the broken encoding %s",
  (text) => {
    expect(() => parseForm(text)).toThrow("percent encoding is broken");
  },
);
