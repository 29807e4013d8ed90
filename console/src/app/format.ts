import { type Language, LOCALES, useLanguage } from './texts.ts';

/** The value of a coin, in reais. */
const COIN_VALUE = 0.0001;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Creates a formatter when it is first used, and only once: creating one takes longer than formatting a page of values. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Of a language, in the time zone of the machine. */
export const formatOf = (language: Language) => {
  const locale = LOCALES[language];
  const numbers = once(() => new Intl.NumberFormat(locale));
  const percents = once(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
  const money = once(
    () =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: 'BRL',
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 2,
        maximumFractionDigits: 4,
      }),
  );
  const dateTimes = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' }));
  const exact = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }));
  const dates = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
  const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
  return {
    number: (value: number) => numbers().format(value),
    /** A share of 1. */
    percent: (share: number) => percents().format(share),
    /** Coins as reais: to the last of a coin's four decimals. */
    coins: (coins: number) => money().format(coins * COIN_VALUE),
    /** A moment (ISO 8601) in the person's own time zone. */
    dateTime: (iso: string) => dateTimes().format(new Date(iso)),
    /** The same, with weekday and time zone. */
    exact: (iso: string) => exact().format(new Date(iso)),
    date: (iso: string) => dates().format(new Date(iso)),
    /** How long ago or ahead a moment is. */
    relative: (iso: string, now = Date.now()) => {
      const ms = Date.parse(iso) - now;
      const [unit, length] = UNITS.find(([, least]) => Math.abs(ms) >= least) ?? (['second', 1_000] as const);
      return relative().format(Math.round(ms / length), unit);
    },
    /** How much later something was (ms), in minutes, hours, or from two days on in days; undefined for less than a minute. */
    elapsed: (ms: number) => {
      const unit = UNITS.slice(0, 3).find(([name, length]) => ms >= (name === 'day' ? 2 * length : length));
      if (!unit) return undefined;
      const [name, length] = unit;
      const words = { style: 'unit', unit: name, unitDisplay: 'long', maximumFractionDigits: 0 } as const;
      return new Intl.NumberFormat(locale, words).format(ms / length);
    },
    /** A duration in ms. */
    duration: (ms: number) =>
      ms < 1_000 ? `${numbers().format(Math.round(ms))} ms` : `${numbers().format(ms / 1_000)} s`,
  };
};

export type Format = ReturnType<typeof formatOf>;

const FORMATS: Partial<Record<Language, Format>> = {};

/** Numbers, money and times as the person's language and time zone write them. */
export const useFormat = (): Format => {
  const { language } = useLanguage();
  FORMATS[language] ??= formatOf(language);
  return FORMATS[language];
};
