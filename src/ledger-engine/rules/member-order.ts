import { compareBytes } from "./canonical.ts";

/** Sorts members as objects do: array indexes come first, as numbers, and the others follow by their bytes. */
export function compareNames(a: string, b: string): number {
  const [left, right] = [isIndex(a), isIndex(b)];
  if (left && right) return Number(a) - Number(b);
  return left === right ? compareBytes(a, b) : left ? -1 : 1;
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const INDEX_MAX = 2 ** 32 - 2;
const isIndex = (name: string): boolean =>
  name.charCodeAt(0) <= 57 && INDEX.test(name) && Number(name) <= INDEX_MAX;
