import * as fc from "fast-check";
import type { BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import type { OpenLine, MatchSide } from "#modules/reconciliation/core/matching/line.ts";

/** The day of the run, a Wednesday, in days since 1970-01-01. */
export const TODAY = 20_500;

/** Two sides of one reality, and what a matching has to find in them. */
export interface Books {
  readonly lines: readonly OpenLine[];
  readonly groups: readonly {
    readonly left: readonly number[];
    readonly right: readonly number[];
  }[];
  /** Each planted break: the lines of which at least one is open and has the class. */
  readonly breaks: readonly { readonly anyOf: readonly number[]; readonly class: BreakClass }[];
}

/** One thing that has happened, and what went wrong when it was told. */
export const STORIES = [
  "plain",
  "shifted",
  "truncated",
  "batch",
  "several",
  "missing_left",
  "missing_right",
  "timing",
  "amount",
  "duplicate",
  "currency",
  "fee",
] as const;

type Story = (typeof STORIES)[number];

interface Facts {
  readonly story: Story;
  readonly amount: bigint;
  readonly age: number;
  readonly shift: number;
  readonly parts: number;
  readonly isLeft: boolean;
}

/** Every so many things, one has the reference and the amount of the thing before, so that nothing tells them apart. */
const TWIN_EVERY = 6;

/**
 * Books of up to 60 things that happened. Where references are shared, only few exist, so that things are mixed up; with twins, one thing in
 * six is told like another one.
 */
export const books = (
  stories: readonly Story[],
  { areReferencesShared = false, haveTwins = false } = {},
): fc.Arbitrary<Books> =>
  fc
    .array(
      fc.record({
        story: fc.constantFrom(...stories),
        amount: fc.bigInt({ min: 1000n, max: areReferencesShared ? 1005n : 2n ** 70n }),
        age: fc.integer({ min: 20, max: 200 }),
        shift: fc.integer({ min: 0, max: 4 }),
        parts: fc.integer({ min: 2, max: 5 }),
        isLeft: fc.boolean(),
      }),
      { maxLength: 60 },
    )
    .map((all) => {
      const writer = new BookWriter(areReferencesShared);
      for (const [index, facts] of all.entries()) {
        const before = all[index - 1];
        const isTwin = haveTwins && before !== undefined && index % TWIN_EVERY === TWIN_EVERY - 1;
        if (isTwin) writer.tell(index - 1, { ...facts, amount: before.amount });
        else writer.tell(index, facts);
      }
      return writer.books();
    });

class BookWriter {
  readonly #areReferencesShared: boolean;
  readonly #lines: OpenLine[] = [];
  readonly #groups: Books["groups"][number][] = [];
  readonly #breaks: Books["breaks"][number][] = [];

  constructor(areReferencesShared: boolean) {
    this.#areReferencesShared = areReferencesShared;
  }

  books = (): Books => ({ lines: this.#lines, groups: this.#groups, breaks: this.#breaks });

  tell(index: number, { story, amount: given, age, shift, parts, isLeft }: Facts): void {
    // Amounts of different things differ, so that nothing but references tells which belong together.
    const amount = this.#areReferencesShared ? given : given * 1009n + BigInt(index);
    const name = this.#areReferencesShared ? `shared-reference-${index % 3}` : `order-${index}-ref`;
    const day = TODAY - age;
    const [side, other]: [MatchSide, MatchSide] = isLeft ? ["left", "right"] : ["right", "left"];
    const add = (side: MatchSide, more: Partial<OpenLine> = {}): number => {
      const id = this.#lines.length + 1;
      const line = { day, amount, asset: "EUR/2", fee: undefined, texts: { endToEndId: name } };
      this.#lines.push({ ...line, ...more, id, side });
      return id;
    };
    const pair = (left: Partial<OpenLine>, right: Partial<OpenLine>): void => {
      this.#groups.push({ left: [add("left", left)], right: [add("right", right)] });
    };
    const broken = (kind: BreakClass, ...anyOf: number[]): void => {
      this.#breaks.push({ anyOf, class: kind });
    };
    switch (story) {
      case "plain":
        return pair({}, { texts: { endToEndId: name.toUpperCase().replaceAll("-", " ") } });
      case "shifted":
        return pair({}, { day: day + shift });
      case "truncated": {
        const long = `${name}-${index}-of-a-customer-with-a-long-name`;
        const kept = Array.from(long.replaceAll("-", "")).slice(0, 16).join("");
        return pair({ texts: { endToEndId: kept } }, { texts: { endToEndId: long } });
      }
      case "batch":
      case "several": {
        const texts = story === "batch" ? { batchId: name } : { endToEndId: name };
        const shares = partsOf(amount, parts);
        const one = add(side, { texts });
        const many = shares.map((share) => add(other, { amount: share, texts }));
        this.#groups.push(isLeft ? { left: [one], right: many } : { left: many, right: [one] });
        return undefined;
      }
      case "missing_left":
        return broken(story, add("right"));
      case "missing_right":
        return broken(story, add("left"));
      case "timing":
        return broken(story, add(side, { day: TODAY }));
      case "amount":
        return broken(story, add("left"), add("right", { amount: amount + 7n }));
      case "currency":
        return broken(story, add("left"), add("right", { asset: "USD/2" }));
      case "fee":
        return broken(story, add("left", { amount: amount - 13n, fee: 13n }), add("right"));
      case "duplicate": {
        const [first, second] = [add(side), add(side, { day: day + 1 })];
        const partner = add(other);
        this.#groups.push(
          isLeft ? { left: [first], right: [partner] } : { left: [partner], right: [first] },
        );
        return broken(story, second);
      }
    }
  }
}

/** An amount as a sum of different parts. */
function partsOf(amount: bigint, count: number): readonly bigint[] {
  const share = amount / BigInt(count);
  const parts = Array.from({ length: count - 1 }, (_, index) => share - BigInt(index));
  return [...parts, amount - parts.reduce((sum, part) => sum + part, 0n)];
}
