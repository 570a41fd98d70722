import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { type ComponentType, useState, useSyncExternalStore } from "react";
import type { PersonMenuProps } from "./person-menu.tsx";
import { session } from "#console/api/florin.ts";
import { partWords } from "#console/parts/part-words.ts";

const loadMenu = async () => (await import("./person-menu.tsx")).PersonMenu;

/** Who is signed in, and the way to the menu of the person. The menu is loaded when somebody reaches for it, because few do. */
export function PersonButton() {
  const name = usePersonName();
  const [Menu, setMenu] = useState<ComponentType<PersonMenuProps>>();
  const face = (
    <>
      <span className="truncate">{name}</span>
      <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-faint" />
    </>
  );
  if (Menu !== undefined) return <Menu button={BUTTON_CLASS} face={face} />;
  // A menu that could not be loaded is asked for again by the next click.
  const open = (): Promise<void> =>
    loadMenu()
      .then((menu) => setMenu(() => menu))
      .catch(() => undefined);
  const prepare = (): void => void loadMenu().catch(() => undefined);
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={false}
      className={BUTTON_CLASS}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={() => void open()}
    >
      {face}
    </button>
  );
}

const BUTTON_CLASS =
  "flex h-9 w-full items-center justify-between gap-2 rounded-md px-2 text-left hover:bg-hover pointer-coarse:h-11";

/** The name of the person, or what stands for it. */
function usePersonName(): string {
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const subject = state.kind === "person" ? state.grant.subject : undefined;
  const { data, isPending } = useQuery({
    queryKey: ["signed-in", subject],
    queryFn: async () => (await session.readPerson()) ?? null,
    enabled: subject !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (subject === undefined) return "Florin";
  if (isPending) return partWords().account.title;
  return data?.name ?? data?.email ?? partWords().account.title;
}
