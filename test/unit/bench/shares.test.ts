import { expect, it } from "vitest";
import { shareLine } from "#bench/shares/lines.ts";

it.each([
  [0.75, "75 %      75 %  holds"],
  [0.74, "74 %      75 %  missed"],
])("a share of %d is shown with its target, and whether that holds", (share, end) => {
  const line = shareLine({
    name: "share-account",
    clients: 16,
    perSecond: 3000,
    ceilingPerSecond: 4000,
    share,
    target: 0.75,
  });
  expect(line).toMatch(/^share-account +16 +3000 +4000 /);
  expect(line.endsWith(end)).toBe(true);
});
