import { expect, test } from "vitest";
import { pathOfObject } from "#console/parts/routing/object-path.ts";

test.each([
  ["clients/eu-books", "/access/clients/eu-books"],
  ["clients/billing/secrets/74cd", "/access/clients/billing"],
  ["configs/bd7c", "/developers/webhooks/bd7c"],
  ["ledgers/a%b", "/ledgers/a%25b"],
  ["connectors/7426", undefined],
  ["ledgers/", undefined],
  ["keys", undefined],
])("the page of %s is %s", (object, path) => {
  expect(pathOfObject(object)).toBe(path);
});
