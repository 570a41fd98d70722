import { z } from "zod";

/** What a check finds wrong with `what`, a sentence each. A check that throws has met damage, which becomes one of the sentences, so that other checks go on. */
export async function problemsOf(
  what: string,
  check: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await check();
  } catch (error) {
    return [`${what} cannot be read: ${reasonOf(error)}`];
  }
}

/** Why something failed, on one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "not as described"}`;
  }
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, " ");
}
