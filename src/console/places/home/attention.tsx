import { useQueries } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import type { Alert } from "./alert.ts";
import { alertSources } from "./alerts.ts";
import { homeWords } from "./words.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { LoadingRows } from "#console/parts/base/states.tsx";
import { Status, toneClass, ToneIcon } from "#console/parts/base/status.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { Moment } from "#console/parts/time/moment.tsx";

const REFRESH_MS = 20_000;

/** What needs a person now, of all that this person may read. What cannot be read hides nothing else. */
export function Attention({ ledgers }: { readonly ledgers: readonly string[] }) {
  const words = homeWords().attention;
  const sources = alertSources();
  const answers = useQueries({
    queries: sources.map(({ kind, read }) => ({
      queryKey: ["home", "alerts", kind, kind === "pipelines" ? ledgers : []],
      queryFn: ({ signal }: { signal: AbortSignal }) => read({ ledgers, signal }),
      refetchInterval: REFRESH_MS,
    })),
  });
  const alerts = answers.flatMap(({ data }) => data ?? []);
  const unread = sources.filter((_, index) => answers[index]?.isError === true);
  const isLoading = answers.some(({ isPending }) => isPending);
  return (
    <Section title={words.title}>
      {alerts.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {alerts.map((alert) => (
            <AlertLine key={`${alert.id} ${alert.path}`} alert={alert} />
          ))}
        </ul>
      )}
      {alerts.length === 0 && isLoading && <LoadingRows rows={2} />}
      {alerts.length === 0 && !isLoading && unread.length === 0 && (
        <Status tone="good">{words.none}</Status>
      )}
      {unread.length > 0 && (
        <p role="status" className="mt-2 text-muted">
          {words.unread(unread.map(({ kind }) => words.kind[kind]).join(", "))}
        </p>
      )}
    </Section>
  );
}

const AlertLine = ({ alert: { tone, title, note, since, path } }: { readonly alert: Alert }) => (
  <li>
    <PathLink to={path} className="flex items-center gap-3 px-3 py-2 hover:bg-hover">
      <span className={`shrink-0 ${toneClass(tone)}`}>
        <ToneIcon tone={tone} />
      </span>
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0">
          <span className="font-medium">{title}</span>
          {note !== undefined && note !== "" && (
            <span className="ml-2 line-clamp-1 inline text-muted">
              <Foreign>{shortened(note)}</Foreign>
            </span>
          )}
        </span>
        <span className="text-note text-muted">
          {homeWords().attention.since} <Moment at={since} />
        </span>
      </span>
      <ChevronRight aria-hidden size={14} className="shrink-0 text-faint" />
    </PathLink>
  </li>
);

const NOTE_MAX = 160;

const shortened = (text: string): string =>
  text.length > NOTE_MAX ? `${text.slice(0, NOTE_MAX)}…` : text;
