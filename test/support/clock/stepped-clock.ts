/** The Worker's clock less the machine's clock, in milliseconds. All objects share the isolate, and so the offset. */
let offsetMs = 0;

const nowMs = Date.now;
const steppedNowMs = (): number => nowMs() + offsetMs;

// Every later read of the time gets the stepped clock. Timers do not change, as when the clock of a machine is stepped.
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [steppedNowMs()] : args, newTarget) as Date, // `Date` constructs dates
  get: (target, key, receiver) =>
    key === "now" ? steppedNowMs : (Reflect.get(target, key, receiver) as unknown),
});

export function stepClock(byMs: number): void {
  offsetMs += byMs;
}

/**
 * Lets the alarms of an object follow the stepped clock. As in the runtime, an alarm rings after the time that was left until
 * it when it was set, whatever the clock does later.
 */
export function stepAlarms(ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx;
  const set: typeof storage.setAlarm = storage.setAlarm.bind(storage);
  const get: typeof storage.getAlarm = storage.getAlarm.bind(storage);
  let setAtOffsetMs = offsetMs;
  storage.setAlarm = (at, options) => {
    setAtOffsetMs = offsetMs;
    return set(Number(at) - offsetMs, options);
  };
  storage.getAlarm = async (options) => {
    const at = await get(options);
    return at === null ? null : at + setAtOffsetMs;
  };
  return ctx;
}
