/** How far the clock of the Worker is off that of the machine, in milliseconds. All objects share it, as they share the isolate. */
let offsetMs = 0;

const nowMs = Date.now;
const steppedNowMs = (): number => nowMs() + offsetMs;

// From here on whatever asks for the time gets the stepped one. Timers go on as they are, as they do when the clock of a
// machine is stepped.
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [steppedNowMs()] : args, newTarget) as Date, // it constructs dates
  get: (target, key, receiver) =>
    key === "now" ? steppedNowMs : (Reflect.get(target, key, receiver) as unknown),
});

/** Steps the clock by so many milliseconds. */
export function stepClock(byMs: number): void {
  offsetMs += byMs;
}

/**
 * Lets the alarms of an object follow the stepped clock. As in the runtime, an alarm rings after the time that there was
 * until then when it was set, whatever the clock does later.
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
