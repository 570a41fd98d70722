import { expect, test } from "vitest";
import { EXPORTS_MAX, ExportPlaces } from "#modules/ledger/answers/export-places.ts";

/** Places for exports of which all but `free` are taken. */
function placesWith({ free }: { free: number }) {
  const clock = { nowMs: 1_000_000 };
  const places = new ExportPlaces(() => clock.nowMs);
  for (let index = 0; index < EXPORTS_MAX - free; index++) places.take(`export-${index}`);
  return { places, clock };
}

const REFUSED = "10 exports of the ledger are under way";

test("ten exports have a place, and the next one is told to come again until one has ended", () => {
  const { places } = placesWith({ free: 1 });
  places.take("tenth");
  expect(() => places.take("eleventh")).toThrow(REFUSED);
  places.release("tenth");
  places.release("tenth");
  places.take("eleventh");
  expect(() => places.take("twelfth")).toThrow(REFUSED);
});

test.each([30_000, -30_000])(
  "an export that takes no page while the clock moves by %i ms gives its place to others, and may go on",
  (ms) => {
    const { places, clock } = placesWith({ free: 0 });
    clock.nowMs += ms;
    places.keep("export-3");
    for (let index = 1; index < EXPORTS_MAX; index++) places.take(`other-${index}`);
    places.keep("export-4");
    expect(() => places.take("one more")).toThrow(REFUSED);
  },
);

test("no export is under way once all have ended or have taken no page for long", () => {
  const { places, clock } = placesWith({ free: EXPORTS_MAX - 2 });
  places.release("export-0");
  expect(places.hasAny()).toBe(true);
  clock.nowMs += 30_000;
  expect(places.hasAny()).toBe(false);
  places.keep("export-1");
  places.release("export-1");
  expect(places.hasAny()).toBe(false);
});
