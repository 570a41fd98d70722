import { expect, test } from "vitest";
import { FifoCache, frozen } from "#platform/memo.ts";

const valuesOf = <V>(cache: FifoCache<V>, ...keys: readonly string[]): (V | undefined)[] =>
  keys.map((key) => cache.get(key));

test("the oldest entry makes room for a new one", () => {
  const cache = new FifoCache<number>({ sizeMax: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  expect(valuesOf(cache, "a", "b")).toEqual([1, 2]);
  cache.set("c", 3);
  expect(valuesOf(cache, "a", "b", "c")).toEqual([undefined, 2, 3]);
});

test("a key that is too long is not cached and evicts nothing", () => {
  const cache = new FifoCache<number>({ sizeMax: 1, keyLengthMax: 3 });
  cache.set("abc", 1);
  cache.set("abcd", 2);
  expect(valuesOf(cache, "abc", "abcd")).toEqual([1, undefined]);
});

test("a value that is set again is the newest entry and counts once", () => {
  const cache = new FifoCache<string>({ sizeMax: 6, sizeOf: (_key, { length }) => length });
  cache.set("a", "12");
  cache.set("b", "12");
  cache.set("a", "1234");
  expect(valuesOf(cache, "a", "b")).toEqual(["1234", "12"]);
  cache.set("c", "1");
  expect(valuesOf(cache, "a", "b", "c")).toEqual(["1234", undefined, "1"]);
  cache.set("a", "1");
  cache.set("d", "1234");
  expect(valuesOf(cache, "a", "c", "d")).toEqual(["1", "1", "1234"]);
});

test("an entry that is larger than the cache leaves it empty, and later entries are bounded as before", () => {
  const cache = new FifoCache<string>({
    sizeMax: 4,
    sizeOf: (key, value) => key.length + value.length,
  });
  cache.set("a", "12");
  cache.set("b", "12345");
  expect(valuesOf(cache, "a", "b")).toEqual([undefined, undefined]);
  for (const key of ["c", "d", "e"]) cache.set(key, "1");
  expect(valuesOf(cache, "c", "d", "e")).toEqual([undefined, "1", "1"]);
});

test("a cleared cache is bounded as a new one", () => {
  const cache = new FifoCache<number>({ sizeMax: 2 });
  for (const key of ["a", "b", "c"]) cache.set(key, 1);
  cache.clear();
  expect(valuesOf(cache, "a", "b", "c")).toEqual([undefined, undefined, undefined]);
  for (const key of ["d", "e", "f"]) cache.set(key, 2);
  expect(valuesOf(cache, "d", "e", "f")).toEqual([undefined, 2, 2]);
});

test("the newest entries are cached, however many came before", () => {
  const cache = new FifoCache<number>({ sizeMax: 3 });
  for (let value = 0; value < 1000; value++) {
    cache.set(`${value}`, value);
    const last = [value - 3, value - 2, value - 1, value].map((each) => cache.get(`${each}`));
    expect(last).toEqual([
      undefined,
      value < 2 ? undefined : value - 2,
      value < 1 ? undefined : value - 1,
      value,
    ]);
  }
});

test("a frozen value cannot be changed, nor can anything in it", () => {
  const value = frozen({ list: [{ text: "a" }], none: null });
  expect(value).toEqual({ list: [{ text: "a" }], none: null });
  expect(() => value.list.push({ text: "b" })).toThrow(TypeError);
  expect(() => {
    value.list[0] = { text: "b" };
  }).toThrow(TypeError);
  expect(() => Object.assign(value.list[0] ?? {}, { text: "b" })).toThrow(TypeError);
});
