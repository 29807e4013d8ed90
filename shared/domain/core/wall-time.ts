const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
};

/** The canonical name of an IANA time zone; undefined for an unknown one. */
export const canonicalTimeZone = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** The local time of a time zone at a moment, as ms as if it were UTC. Throws a RangeError for an unknown time zone. */
export const wallTime = (timeZone: string, at: number): number => {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1_000) + 1_000) % 1_000);
};
const offsetAt = (timeZone: string, at: number): number => wallTime(timeZone, at) - at;

/** The first moment between two at which the zone's offset differs from that at the first, to the minute. */
const changeBetween = (timeZone: string, from: number, to: number): number => {
  const before = offsetAt(timeZone, from);
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
};

/**
 * The moment (ms) at which a zone's local time, given as ms as if it were UTC, occurs: the first of two when the clock
 * is set back, the moment of the change when the clock skips it.
 */
export const momentOfWallTime = (timeZone: string, wall: number): number => {
  const offsets = [offsetAt(timeZone, wall - DAY_MS), offsetAt(timeZone, wall + DAY_MS)];
  const shown = offsets.map((offset) => wall - offset).filter((at) => wallTime(timeZone, at) === wall);
  return shown.length > 0
    ? Math.min(...shown)
    : changeBetween(timeZone, wall - Math.max(...offsets), wall - Math.min(...offsets));
};
