import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { objectAt } from "#platform/objects/address.ts";
import { assertLocation } from "#platform/objects/location.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { inProject } from "#scripts/lib/project.ts";

/** A namespace whose objects are texts that say where they lie. */
const namespaceIn = (place: string): DurableObjectNamespace =>
  ({
    getByName: (name: string, options?: { locationHint?: string }) =>
      `${name} in ${place}${options?.locationHint === undefined ? "" : ` near ${options.locationHint}`}`,
    jurisdiction: (jurisdiction: string) => namespaceIn(jurisdiction),
  }) as unknown as DurableObjectNamespace; // A fake has what addresses need.

const namespace = namespaceIn("the world");

test.each([
  [{}, "shop in the world"],
  [{ FLORIN_JURISDICTION: "" }, "shop in the world"],
  [{ FLORIN_JURISDICTION: "none" }, "shop in the world"],
  [{ FLORIN_JURISDICTION: "eu" }, "shop in eu"],
  [{ FLORIN_JURISDICTION: "fedramp" }, "shop in fedramp"],
])("with the settings %j, an object is %s", (env, expected) => {
  expect(objectAt(env, namespace, "shop")).toBe(expected);
});

test("a location is a hint beside the address, and lies in the jurisdiction", () => {
  const place = { name: "shop", location: "weur" } as const;
  expect(objectAt({}, namespace, place)).toBe("shop in the world near weur");
  const eu = { FLORIN_JURISDICTION: "eu" };
  expect(objectAt(eu, namespace, place)).toBe("shop in eu near weur");
  assertLocation({}, "oc");
  assertLocation(eu, "eeur");
  expect(() => assertLocation(eu, "wnam")).toThrow(
    "the location wnam lies outside of the deployment's jurisdiction eu, which has weur and eeur",
  );
});

test("an unknown jurisdiction addresses no object", () => {
  expect(() => objectAt({ FLORIN_JURISDICTION: "mars" }, namespace, "shop")).toThrow('"eu"');
});

test("a jurisdiction is refused on one machine", () => {
  const local = {
    FLORIN_LOCAL: "true",
    FLORIN_SECRET_KEY: Buffer.alloc(32).toString("base64"),
  };
  expect(platformSettings.parse(local).FLORIN_JURISDICTION).toBe("none");
  expect(() => platformSettings.parse({ ...local, FLORIN_JURISDICTION: "eu" })).toThrow(
    'FLORIN_JURISDICTION is "eu". Only Cloudflare keeps data in a jurisdiction',
  );
});

test("no other code makes addresses of objects", () => {
  const files = readdirSync(inProject("src"), { recursive: true, encoding: "utf8" });
  const makers = files
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /\.(?:getByName|idFromName|idFromString|newUniqueId|jurisdiction)\(/.test(
        readFileSync(inProject("src", file), "utf8"),
      ),
    );
  expect(makers).toEqual(["platform/objects/address.ts"]);
});
