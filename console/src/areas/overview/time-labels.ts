import { useMemo } from 'react';
import { LOCALES, useLanguage } from '../../app/texts.ts';
import type { Metrics } from '../../sdk.ts';

/** How the hours and days of metrics are written: hours in the person's own time zone, days as those of the metrics. */
export const useLabelOf = ({
  granularity,
  timeZone,
}: Pick<Metrics, 'granularity' | 'timeZone'>): ((item: { readonly start: string }) => string) => {
  const { language } = useLanguage();
  return useMemo(() => {
    const date = { day: '2-digit', month: '2-digit' } as const;
    const format = new Intl.DateTimeFormat(
      LOCALES[language],
      granularity === 'day' ? { ...date, timeZone } : { ...date, hour: '2-digit', minute: '2-digit' },
    );
    return ({ start }) => format.format(new Date(start));
  }, [language, granularity, timeZone]);
};
