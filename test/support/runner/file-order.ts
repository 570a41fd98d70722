import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that begin before the others of their group. The longest one begins first, so that no processor waits for it at the
 * end. The first file of all only computes while the first runtimes of the contract tests start; such a start mostly waits for
 * the transformation of sources.
 */
const FIRST = [
  "test/property/ledger-engine/reads.test.ts",
  "test/contract/platform/examples.test.ts",
  "test/contract/orchestration/triggers/trigger-limits.test.ts",
  "test/contract/ledger/objects/repeated-reads.test.ts",
  "test/unit/scripts/deploy/deploy.test.ts",
  "test/unit/payments/initiations/initiation-news.test.ts",
  "test/unit/ledger-engine/write/bulk.test.ts",
  "test/e2e/deployment/rollout.test.ts",
  "test/e2e/deployment/restoration.test.ts",
  "test/e2e/deployment/disarmed.test.ts",
  "test/e2e/deployment/start.test.ts",
  "test/e2e/deployment/deploy.test.ts",
  "test/e2e/deployment/package.test.ts",
  "test/e2e/command/listen.test.ts",
  "test/e2e/deployment/backup.test.ts",
  "test/e2e/deployment/releases.test.ts",
  "test/e2e/ledger/log-import.test.ts",
  "test/e2e/auth/secrets.test.ts",
  "test/e2e/ledger/golden.test.ts",
];

/** The order of vitest, in which some files come first. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is no array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

/** The place of a file among the first ones, or the place after them. */
function rankOf({ moduleId }: TestSpecification): number {
  const rank = FIRST.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? FIRST.length : rank;
}
