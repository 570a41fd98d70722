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

/** The search over everything, while it is open. */
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
    isOpen && (
      <Suspense>
        <PaletteWindow onClose={onClose} />
      </Suspense>
    )
  );
}
