import { CircleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Foreign } from "./address.tsx";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { ApiError } from "#console/api/errors.ts";
import { partWords } from "#console/parts/part-words.ts";

/** What a page says where it has nothing to show: a sentence, and the action that makes the first. */
export function Empty({
  title,
  isPage = false,
  children,
}: {
  readonly title: string;
  /** Whether nothing else is on the page, whose heading the sentence is then. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-16 text-center text-muted">
      <Title className="max-w-md text-balance text-text">{title}</Title>
      {children}
    </div>
  );
}

/** Why something could not be loaded or done, what to do, and the request's id to copy. */
export function Failure({
  error,
  retry,
  title = partWords().error.title,
}: {
  readonly error: Error;
  readonly retry?: () => void;
  /** What did not succeed. */
  readonly title?: string;
}) {
  const words = partWords().error;
  const { status, code, requestId } = error instanceof ApiError ? error : NO_ANSWER;
  return (
    <div role="alert" className="m-4 flex gap-3 rounded-md border border-line bg-bad-soft p-4">
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 space-y-1">
        <p className="font-medium">{title}</p>
        <p>
          <Foreign>{error.message.replace(`[${code}] `, "")}</Foreign>
        </p>
        {hintFor(status) !== "" && <p className="text-muted">{hintFor(status)}</p>}
        <p className="flex flex-wrap items-center gap-x-3 font-mono text-note text-muted">
          {code !== "" && <span>{code}</span>}
          {requestId !== undefined && (
            <span className="inline-flex items-center">
              {words.requestId} {requestId}
              <CopyButton value={requestId} what={words.requestId} />
            </span>
          )}
        </p>
        {retry !== undefined && (
          <Button onClick={retry} className="mt-2">
            {words.again}
          </Button>
        )}
      </div>
    </div>
  );
}

const NO_ANSWER = { status: 0, code: "", requestId: undefined };

function hintFor(status: number): string {
  const { hints } = partWords().error;
  if (status === 0) return hints.unreachable;
  if (status === 401 || status === 403) return hints.unauthorized;
  if (status === 404) return hints.notFound;
  if (status === 429) return hints.busy;
  if (status === 503) return hints.unavailable;
  return status >= 500 ? hints.server : "";
}

const LOADING_AFTER_MS = 150;

/** Whether something has taken so long that the page should show that it loads. */
export function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) return undefined;
    const timer = setTimeout(() => setSlow(true), LOADING_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isLoading]);
  return isLoading && isSlow;
}

/** Grey bars in the shape of rows that are loading. */
export function LoadingRows({ rows = 8 }: { readonly rows?: number }) {
  const isSlow = useIsSlow(true);
  return (
    <div aria-busy="true" className={isSlow ? "animate-appear" : "invisible"}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-9 items-center gap-4 border-b border-line px-4">
          <span className="h-2.5 w-1/5 rounded bg-hover" />
          <span className="h-2.5 w-2/5 rounded bg-hover" />
          <span className="ml-auto h-2.5 w-1/6 rounded bg-hover" />
        </div>
      ))}
    </div>
  );
}
