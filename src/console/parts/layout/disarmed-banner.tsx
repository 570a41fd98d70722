import { queryOptions, useQuery } from "@tanstack/react-query";
import { boundLedgers, florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { toneClass, ToneIcon } from "#console/parts/base/status.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { Who } from "#console/parts/principals/who.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import type { components } from "#openapi";

/** Time between two reads, in milliseconds: somebody else may disarm the deployment while the page is open. */
const REFRESH_MS = 30_000;
const GUIDE = "/guide/operations/disarmed";

const armingQuery = () =>
  queryOptions({
    queryKey: ["arming"],
    queryFn: ({ signal }) => florin.get("/api/florin/v1/arming", {}, { signal }),
    refetchInterval: REFRESH_MS,
  });

/**
 * Says on each page that the deployment calls no other server, since when, by whom and why, and what to do. It is shown to who may read that:
 * the switch is for everything, and is closed to who is bound to ledgers. A failed read shows nothing, because it says nothing.
 */
export function DisarmedBanner() {
  const isOpen = may("florin:operate") && boundLedgers().length === 0;
  const { data } = useQuery({ ...armingQuery(), enabled: isOpen });
  return data === undefined || data.data.armed ? null : <Banner arming={data.data} />;
}

function Banner({ arming }: { readonly arming: components["schemas"]["Arming"] }) {
  const words = partWords().disarmed;
  const { since, by, note, bySetting = false, reason = "operator", connectors } = arming;
  return (
    <section
      aria-label={words.title}
      className="flex shrink-0 gap-3 border-b border-line bg-bad-soft px-6 py-3 max-sm:px-4"
    >
      <span className={`mt-0.5 shrink-0 ${toneClass("bad")}`}>
        <ToneIcon tone="bad" />
      </span>
      <div className="min-w-0 space-y-1">
        <p className="font-medium">{words.title}</p>
        <p>
          {words.effect} {connectors.length > 0 && words.butFor(connectors.length)}
        </p>
        <p className="text-muted">
          {since !== undefined && (
            <>
              {words.since} <Moment at={since} isWhole />
              {by !== undefined && (
                <>
                  {" · "}
                  <Who principal={by} isLink />
                </>
              )}
              {" · "}
            </>
          )}
          {bySetting ? words.bySetting : words.reasons[reason]}
          {note !== undefined && (
            <>
              {" · "}
              <Foreign>{note}</Foreign>
            </>
          )}
        </p>
        <p>
          {bySetting ? words.takeAway : words.arm[reason]}{" "}
          {!bySetting && <code className="font-mono">npm run florin -- arm</code>}{" "}
          <a href={GUIDE} className="text-accent hover:underline">
            {words.more}
          </a>
        </p>
      </div>
    </section>
  );
}
