import { Dialog } from "@base-ui/react/dialog";
import { KeyList } from "./key-list.tsx";
import type { Destination, PageKeys } from "./keys.ts";
import { DialogFrame } from "#console/parts/base/dialog.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** The window that lists the keys of a page. */
export const KeysDialog = ({
  page,
  destinations,
  onClose,
}: {
  readonly page: PageKeys;
  readonly destinations: readonly Destination[];
  readonly onClose: () => void;
}) => (
  <Dialog.Root open onOpenChange={onClose}>
    <DialogFrame title={partWords().keys.title}>
      <KeyList page={page} destinations={destinations} />
    </DialogFrame>
  </Dialog.Root>
);
