import { Code } from "lucide-react";
import { lazy, Suspense } from "react";
import type { WireRequest } from "#console/api/client.ts";
import { LoadingRows } from "#console/parts/base/states.tsx";
import { FormDialog } from "#console/parts/forms/form.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** What writes the code is loaded when somebody asks for it. */
const CodeList = lazy(async () => ({ default: (await import("./code-list.tsx")).CodeList }));

/** A button that shows requests, as `toWire` makes them, as code: what a page reads, or what an action sends. */
export function AsCode({ requests }: { readonly requests: readonly WireRequest[] }) {
  const words = partWords().code;
  const trigger = (
    <>
      <Code aria-hidden size={14} />
      {words.open}
    </>
  );
  return (
    <FormDialog trigger={trigger} title={words.title} kind="quiet" isWide>
      {() => (
        <Suspense fallback={<LoadingRows rows={4} />}>
          <CodeList requests={requests} />
        </Suspense>
      )}
    </FormDialog>
  );
}
