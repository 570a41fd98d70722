import { Dialog } from "@base-ui/react/dialog";
import { lazy, Suspense } from "react";
import type { WireRequest } from "#console/api/client.ts";
import { DialogFrame } from "#console/parts/base/dialog.tsx";
import { LoadingRows } from "#console/parts/base/states.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** What writes the code is loaded when somebody asks for it. */
const CodeList = lazy(async () => ({ default: (await import("./code-list.tsx")).CodeList }));

/** The window that shows requests as code; closed while there are none. */
export const CodeWindow = ({
  requests,
  onClose,
}: {
  readonly requests: readonly WireRequest[] | undefined;
  readonly onClose: () => void;
}) => (
  <Dialog.Root open={requests !== undefined} onOpenChange={(isOpen) => isOpen || onClose()}>
    <DialogFrame title={partWords().code.title} isWide>
      <Suspense fallback={<LoadingRows rows={4} />}>
        <CodeList requests={requests ?? []} />
      </Suspense>
    </DialogFrame>
  </Dialog.Root>
);
