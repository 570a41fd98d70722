import { and, eq } from "drizzle-orm";
import { checkDefinition } from "./check-definition.ts";
import type { AccountsDefinition, SourceDefinition, StatementDefinition } from "./definition.ts";
import { type LineSource, toSource } from "./source.ts";
import { isVisible, sourceOf } from "./store.ts";
import { reconciliationSources } from "./tables.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { assertName, invalid } from "#modules/reconciliation/core/fields.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

type StatementMember = Exclude<keyof StatementDefinition, "kind">;

/**
 * The members of a source that may change, and only these: others decide which lines a source has and what they amount to, and lines that
 * a matching has collected do not change. Undefined for a member that stays, null for one that goes.
 */
export interface SourcePatch extends Readonly<
  Partial<{ [Member in StatementMember]: StatementDefinition[Member] | null }>
> {
  readonly name?: string | undefined;
  readonly references?: AccountsDefinition["references"] | undefined;
}

const CHANGEABLE: Readonly<Record<SourceDefinition["kind"], readonly string[]>> = {
  statement: ["account", "format", "mapping", "encoding", "decimals"],
  accounts: ["references"],
  connector: [],
  pool: [],
};

/**
 * Changes the members of a source that are given; without any, nothing changes. Lines that the source has stay as they are: the change
 * counts for files that are uploaded and transactions that are read from then on. Throws as `sourceOf` does, `VALIDATION`, and `CONFLICT`
 * where another change came in between.
 */
export async function patchSource(
  context: ServiceContext,
  id: string,
  { name, ...members }: SourcePatch,
): Promise<LineSource> {
  const source = await sourceOf(context, id);
  if (name !== undefined) assertName(name);
  const definition = patched(source.definition, members);
  await checkDefinition(definition);
  const [before, after] = [canonicalJson(source.definition), canonicalJson(definition)];
  if ((name ?? source.name) === source.name && before === after) return source;
  const { env, principal, clock } = context;
  const change = new AuditedChange(context, {
    action: "reconciliation.source.update",
    object: `sources/${id}`,
  });
  const [row] = await change.store(
    databaseOf(env)
      .update(reconciliationSources)
      .set({ ...(name === undefined ? {} : { name }), definition: after, updatedAt: clock() })
      .where(
        and(
          eq(reconciliationSources.id, id),
          eq(reconciliationSources.definition, before),
          isVisible(principal),
        ),
      )
      .returning(),
  );
  if (row !== undefined) return toSource(row);
  await sourceOf(context, id);
  throw new AppError("CONFLICT", `the source ${id} was changed meanwhile; read it again`);
}

function patched(
  definition: SourceDefinition,
  members: Readonly<Record<string, unknown>>,
): SourceDefinition {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const fixed = given.find(([member]) => !CHANGEABLE[definition.kind].includes(member));
  if (fixed !== undefined) {
    throw invalid(
      `${fixed[0]}: a source of the kind ${definition.kind} has no such member, or it does not change`,
    );
  }
  const all = { ...definition, ...Object.fromEntries(given) };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null),
  ) as unknown as SourceDefinition; // members that may go are optional
}
