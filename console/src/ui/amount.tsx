import { useMemo } from 'react';
import { LOCALES, useLanguage } from '../app/texts.ts';

interface AmountProps {
  readonly value: number | undefined;
  /** ISO 4217; absent for a sum over several currencies. */
  readonly currency?: string | undefined;
}

/** How an amount of money is written. A currency that the browser does not know is written before the number. */
export const useAmount = (): ((value: number, currency?: string) => string) => {
  const { language } = useLanguage();
  return useMemo(() => {
    const locale = LOCALES[language];
    const plain = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    return (value, currency) =>
      currency !== undefined && /^[A-Z]{3}$/.test(currency)
        ? new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value)
        : `${currency ?? ''} ${plain.format(value)}`.trim();
  }, [language]);
};

/** An amount of money. */
export const Amount = ({ value, currency }: AmountProps) => {
  const amount = useAmount();
  return <>{value === undefined ? '—' : amount(value, currency)}</>;
};
