import {
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  type LucideIcon,
  TriangleAlert,
} from "lucide-react";

export type Tone = "good" | "warn" | "bad" | "waits" | "neutral";

const LOOKS: Readonly<Record<Tone, { readonly icon: LucideIcon; readonly color: string }>> = {
  good: { icon: CircleCheck, color: "text-good" },
  warn: { icon: TriangleAlert, color: "text-warn" },
  bad: { icon: CircleAlert, color: "text-bad" },
  waits: { icon: CircleDashed, color: "text-muted" },
  neutral: { icon: Circle, color: "text-muted" },
};

export const toneClass = (tone: Tone): string => LOOKS[tone].color;

/** The shape of a state, which stands beside a word. */
export function ToneIcon({
  tone,
  size = 16,
}: {
  readonly tone: Tone;
  readonly size?: number | string;
}) {
  const { icon: Icon } = LOOKS[tone];
  return <Icon aria-hidden size={size} />;
}

/** A state: a word, a shape and a colour. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 align-top whitespace-nowrap ${toneClass(tone)}`}
    >
      <ToneIcon tone={tone} size="1.1em" />
      {children}
    </span>
  );
}
