import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A long file that only computes. */
const FIRST = "test/property/ledger-engine/reads.test.ts";

/**
 * The order of vitest, but for a long file that runs while the first runtime of the contract tests starts. A start mostly
 * waits for the sources to be transformed, for which two runtimes would wait at once; the next one finds them done.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is no array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  }
}

const isFirst = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(FIRST);
