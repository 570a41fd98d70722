import { expect, test } from "vitest";
import { frozen, Remembered } from "#platform/memo.ts";

test("the values of the last texts are remembered", () => {
  const remembered = new Remembered<number>({ countMax: 2, lengthMax: 3 });
  remembered.add("a", 1);
  remembered.add("b", 2);
  expect([remembered.get("a"), remembered.get("b")]).toEqual([1, 2]);
  remembered.add("c", 3);
  expect([remembered.get("a"), remembered.get("b"), remembered.get("c")]).toEqual([
    undefined,
    2,
    3,
  ]);
});

test("a text that is too long is not remembered, and removes no other", () => {
  const remembered = new Remembered<number>({ countMax: 1, lengthMax: 3 });
  remembered.add("abc", 1);
  remembered.add("abcd", 2);
  expect([remembered.get("abc"), remembered.get("abcd")]).toEqual([1, undefined]);
});

test("nobody can change a frozen value, nor anything in it", () => {
  const value = frozen({ list: [{ text: "a" }], none: null });
  expect(value).toEqual({ list: [{ text: "a" }], none: null });
  expect(() => value.list.push({ text: "b" })).toThrow(TypeError);
  expect(() => {
    value.list[0] = { text: "b" };
  }).toThrow(TypeError);
  expect(() => Object.assign(value.list[0] ?? {}, { text: "b" })).toThrow(TypeError);
});

test("the texts that were added last are remembered, however many came before", () => {
  const remembered = new Remembered<number>({ countMax: 3, lengthMax: 10 });
  for (let value = 0; value < 1000; value++) {
    remembered.add(`${value}`, value);
    const last = [value - 3, value - 2, value - 1, value].map((each) => remembered.get(`${each}`));
    expect(last).toEqual([
      undefined,
      value < 2 ? undefined : value - 2,
      value < 1 ? undefined : value - 1,
      value,
    ]);
  }
});
