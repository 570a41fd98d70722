import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const WORKERS = resolve(ROOT, "bench/workers");

const read = (...path: string[]): string => readFileSync(resolve(ROOT, ...path), "utf8");

test.each(readdirSync(WORKERS))("%s exports every class that wrangler.toml binds", (file) => {
  const bound = [...read("wrangler.toml").matchAll(/^class_name = "(\w+)"$/gm)].map(
    ([, name = ""]) => name,
  );
  expect(bound).toContain("LedgerObject");
  const exported =
    read("bench/workers", file).match(/^export (?:\{[^}]*\} from|class \w+).*$/gm) ?? [];
  for (const name of bound) expect(exported.join("\n")).toMatch(new RegExp(`\\b${name}\\b`));
});
