import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { workflowWords } from "#console/places/workflows/words.ts";
import type { components } from "#openapi";

export type Tested = components["schemas"]["TriggerTest"];

/** What a trigger would do with an event. */
export function TestResult({ tested: { filter, variables } }: { readonly tested: Tested }) {
  const words = workflowWords().tester;
  const isStarting = filter === undefined || filter.match;
  const entries = Object.entries(variables ?? {});
  return (
    <div role="status" className="mt-4 space-y-3 rounded-md border border-line p-4">
      {filter?.error === undefined ? (
        <Status tone={isStarting ? "good" : "neutral"}>
          {filter === undefined ? words.noFilter : filter.match ? words.match : words.noMatch}
        </Status>
      ) : (
        <>
          <Status tone="bad">{words.filterError}</Status>
          <p className="font-mono text-note whitespace-pre-wrap">
            <Foreign>{filter.error}</Foreign>
          </p>
        </>
      )}
      {isStarting && (
        <>
          <p className="text-note text-muted">{words.variables}</p>
          {entries.length === 0 && <p>{words.noVariables}</p>}
          <Facts>
            {entries.map(([name, { value = "", error }]) => (
              <Fact key={name} name={visible(name)}>
                {error === undefined ? (
                  <Foreign>{value}</Foreign>
                ) : (
                  <span className="whitespace-pre-wrap text-bad">
                    <Foreign>{error}</Foreign>
                  </span>
                )}
              </Fact>
            ))}
          </Facts>
        </>
      )}
    </div>
  );
}
