import { useInfiniteQuery } from "@tanstack/react-query";
import { type RejectedItem, rejectedQuery } from "./queries.ts";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { partWords } from "#console/parts/part-words.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The items of the provider that could not be read. Nothing is shown while there are none. */
export function RejectedItems({ id }: { readonly id: string }) {
  const words = paymentWords().rejected;
  const { data, fetchNextPage, hasNextPage } = useInfiniteQuery(rejectedQuery(id));
  const path = { connectorID: id };
  const retry = useWrite(
    (_: undefined, options) =>
      florin.post(
        "/api/florin/v1/payments/connectors/{connectorID}/rejected/retry",
        { path },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  if (rows.length === 0) return null;
  return (
    <Section
      title={words.title}
      actions={
        may("payments:write") && (
          <Button onClick={() => retry.send(undefined)} disabled={retry.isSending}>
            {words.retry}
          </Button>
        )
      }
    >
      <p className="mb-3 text-muted">{words.meaning}</p>
      {retry.error !== null && <Failure error={retry.error} title={partWords().form.failed} />}
      <ol className="divide-y divide-line rounded-md border border-line">
        {rows.map((item) => (
          <Item key={item.id} connectorId={id} item={item} />
        ))}
      </ol>
      {hasNextPage && (
        <Button kind="quiet" className="mt-2" onClick={() => void fetchNextPage()}>
          {partWords().table.more}
        </Button>
      )}
    </Section>
  );
}

function Item({
  connectorId,
  item: { id, itemID, reason, raw, triedAt },
}: {
  readonly connectorId: string;
  readonly item: RejectedItem;
}) {
  const words = paymentWords().rejected;
  const dismiss = useWrite(
    (_: undefined, options) =>
      florin.delete(
        "/api/florin/v1/payments/connectors/{connectorID}/rejected/{itemID}",
        { path: { connectorID: connectorId, itemID: id } },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  return (
    <li className="space-y-1 px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <span className="font-mono text-note">
          <Foreign>{itemID}</Foreign>
        </span>
        <span className="flex items-center gap-2 text-note text-muted">
          <Moment at={triedAt} />
          {may("payments:write") && (
            <Button
              kind="quiet"
              onClick={() => dismiss.send(undefined)}
              disabled={dismiss.isSending}
            >
              {words.dismiss}
            </Button>
          )}
        </span>
      </div>
      <p>
        <Foreign>{reason}</Foreign>
      </p>
      <details>
        <summary className="cursor-pointer text-note text-muted">{words.raw}</summary>
        <pre className="foreign mt-1 max-h-60 overflow-auto rounded-md bg-sunken p-2 font-mono text-note whitespace-pre-wrap">
          <Foreign>{raw}</Foreign>
        </pre>
      </details>
      {dismiss.error !== null && <Failure error={dismiss.error} title={partWords().form.failed} />}
    </li>
  );
}
