import { Dialog } from "@base-ui/react/dialog";
import { lazy, Suspense, useEffect } from "react";
import { paletteWords } from "./words.ts";

/** The search and its library are loaded after the page. */
const PaletteWindow = lazy(loadWindow);

async function loadWindow() {
  const [{ PaletteWindow: component }] = await Promise.all([
    import("./palette-window.tsx"),
    paletteWords.load(),
  ]);
  return { default: component };
}

/** Time after which the search is loaded although nobody has asked for it, so that it takes what is typed at once. */
const LOAD_AFTER_MS = 1500;

/** The window in which everything is found. */
export function Palette({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  useEffect(() => {
    const timer = setTimeout(() => void loadWindow(), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 animate-appear bg-black/30" />
        <Dialog.Popup className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[40rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 animate-appear flex-col overflow-hidden rounded-xl bg-raised shadow-float outline-none">
          <Suspense>
            <PaletteWindow onClose={onClose} />
          </Suspense>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
