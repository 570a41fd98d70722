import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, GitCompareArrows, History, Pause, Play, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useMomentChanges } from "./use-moment-changes.ts";
import { Button } from "#console/parts/base/button.tsx";
import { firstMomentQuery } from "#console/places/ledgers/queries.ts";
import {
  fromInput,
  type Step,
  stepFor,
  stepFrom,
  STEPS,
  toInput,
  useMoments,
} from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** Time for which a moment is shown while the ledger is played, in milliseconds. */
const SHOWN_MS = 1200;
/** Positions of the slider between the first entry of the ledger and now. */
const POSITIONS = 1000;

/** The button that puts the pages of a ledger at a moment. It is there while they show the present. */
export function MomentButton() {
  const words = ledgerWords().moment;
  const { at } = useMoments();
  const change = useMomentChanges();
  if (at !== undefined) return null;
  return (
    <Button kind="quiet" title={words.hint} onClick={() => change({ at: justNow() })}>
      <History aria-hidden size={14} />
      <span className="max-sm:sr-only">{words.open}</span>
    </Button>
  );
}

/** What stands above the pages of a ledger that are not at the present: the moment, and the ways to others. */
export function MomentBar({ ledger }: { readonly ledger: string }) {
  const { at, compare } = useMoments();
  if (at === undefined && compare === undefined) return null;
  return <Bar ledger={ledger} at={at} compare={compare} />;
}

function Bar({
  ledger,
  at,
  compare,
}: {
  readonly ledger: string;
  readonly at: string | undefined;
  readonly compare: string | undefined;
}) {
  const words = ledgerWords().moment;
  const change = useMomentChanges();
  return (
    <section
      aria-label={words.open}
      className="border-y border-line bg-accent-soft px-6 py-2 max-sm:px-4"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <MomentInput
          icon={<History aria-hidden size={14} className="text-accent" />}
          label={at === undefined ? words.asOfNow : words.asOf}
          value={at}
          onChange={(next) => change({ at: next })}
        />
        {at !== undefined && <Travel ledger={ledger} at={at} />}
        <div className="ml-auto flex items-center gap-1">
          {compare === undefined && (
            <Button
              kind="quiet"
              onClick={() => change({ compare: stepFrom(at ?? justNow(), "day", -1) })}
            >
              <GitCompareArrows aria-hidden size={14} />
              {words.compare}
            </Button>
          )}
          <Button kind="quiet" onClick={() => change({ at: undefined, compare: undefined })}>
            <X aria-hidden size={14} />
            {words.backToNow}
          </Button>
        </div>
      </div>
      {compare !== undefined && (
        <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
          <MomentInput
            icon={<GitCompareArrows aria-hidden size={14} className="text-accent" />}
            label={words.comparedWith}
            value={compare}
            onChange={(next) => change({ compare: next })}
          />
          <Button kind="quiet" onClick={() => change({ compare: undefined })}>
            {words.endComparison}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Steps, a slider, and the player. */
function Travel({ ledger, at }: { readonly ledger: string; readonly at: string }) {
  const words = ledgerWords().moment;
  const change = useMomentChanges();
  const { firstMs, nowMs } = useSpan(ledger, at);
  const [chosen, setStep] = useState<Step>();
  const step = chosen ?? stepFor(nowMs - firstMs);
  const [isPlaying, setPlaying] = usePlayer(at, step);
  const go = (next: string): void => {
    setPlaying(false);
    change({ at: next });
  };
  return (
    <>
      <div className="flex items-center gap-1">
        <IconButton label={words.back} onClick={() => go(stepFrom(at, step, -1))}>
          <ChevronLeft aria-hidden size={16} />
        </IconButton>
        <select
          aria-label={words.step}
          value={step}
          onChange={({ target }) => setStep(target.value as Step)} // The options are the only values.
          className="h-7 rounded-md border border-line-strong bg-canvas px-1 pointer-coarse:h-11"
        >
          {STEPS.map((id) => (
            <option key={id} value={id}>
              {words.steps[id]}
            </option>
          ))}
        </select>
        <IconButton label={words.forward} onClick={() => go(stepFrom(at, step, 1))}>
          <ChevronRight aria-hidden size={16} />
        </IconButton>
        <IconButton
          label={isPlaying ? words.pause : words.play}
          onClick={() => setPlaying(!isPlaying)}
        >
          {isPlaying ? <Pause aria-hidden size={14} /> : <Play aria-hidden size={14} />}
        </IconButton>
      </div>
      <Slider key={`${at} ${firstMs}`} at={at} firstMs={firstMs} nowMs={nowMs} onChange={go} />
    </>
  );
}

/** The slider between the first entry and now. The pages follow when it is let go. */
function Slider({
  at,
  firstMs,
  nowMs,
  onChange,
}: {
  readonly at: string;
  readonly firstMs: number;
  readonly nowMs: number;
  readonly onChange: (at: string) => void;
}) {
  const [value, setValue] = useState(() => toPosition(Date.parse(at), firstMs, nowMs));
  const moment = new Date(firstMs + (value / POSITIONS) * (nowMs - firstMs)).toISOString();
  const leave = (): void => {
    if (value !== toPosition(Date.parse(at), firstMs, nowMs)) onChange(moment);
  };
  return (
    <input
      type="range"
      aria-label={ledgerWords().moment.moment}
      aria-valuetext={moment}
      min={0}
      max={POSITIONS}
      value={value}
      onChange={({ target }) => setValue(Number(target.value))}
      onPointerUp={leave}
      onKeyUp={leave}
      onBlur={leave}
      className="w-48 accent-accent max-sm:w-full"
    />
  );
}

const toPosition = (ms: number, firstMs: number, nowMs: number): number =>
  Math.round(((ms - firstMs) / Math.max(nowMs - firstMs, 1)) * POSITIONS);

/** The time from the first transaction to now, which a moment outside of it makes longer. */
function useSpan(ledger: string, at: string): { firstMs: number; nowMs: number } {
  const [now] = useState(justNow);
  const { data } = useQuery({ ...firstMomentQuery(ledger), staleTime: Infinity });
  const atMs = Date.parse(at);
  const nowMs = Math.max(Date.parse(now), atMs);
  const firstMs = Math.min(Date.parse(data ?? now), atMs);
  return { firstMs, nowMs };
}

/** Plays: each moment is followed by the next step, until now. */
function usePlayer(at: string, step: Step): readonly [boolean, (isPlaying: boolean) => void] {
  const change = useMomentChanges();
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const next = stepFrom(at, step, 1);
    const isEnd = Date.parse(next) >= Date.now();
    const timer = setTimeout(() => {
      change({ at: isEnd ? justNow() : next });
      if (isEnd) setPlaying(false);
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, at, step, change]);
  return [isPlaying, setPlaying];
}

/** A moment to type or to choose, in the viewer's zone; UTC on hover. */
const MomentInput = ({
  icon,
  label,
  value,
  onChange,
}: {
  readonly icon: ReactNode;
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (at: string) => void;
}) => (
  <label className="flex items-center gap-2 font-medium" title={value}>
    {icon}
    {label}
    <input
      type="datetime-local"
      step={1}
      value={value === undefined ? "" : toInput(value)}
      onChange={({ target }) => {
        const next = fromInput(target.value);
        if (next !== undefined) onChange(next);
      }}
      className="figures h-7 rounded-md border border-line-strong bg-canvas px-2 font-normal pointer-coarse:h-11"
    />
  </label>
);

const IconButton = ({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text pointer-coarse:size-11"
  >
    {children}
  </button>
);

const justNow = (): string => new Date().toISOString();
