import { type Language, LOCALES, useLanguage } from '../app/texts.ts';

interface AmountProps {
  readonly value: number | undefined;
  /** ISO 4217; absent for a sum over several currencies. */
  readonly currency?: string | undefined;
}

const amountOf = (language: Language) => {
  const locale = LOCALES[language];
  const plain = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const known = new Map<string, Intl.NumberFormat>();
  const inCurrency = (currency: string): Intl.NumberFormat => {
    const format = known.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
    known.set(currency, format);
    return format;
  };
  return (value: number, currency?: string): string =>
    currency !== undefined && /^[A-Z]{3}$/.test(currency)
      ? inCurrency(currency).format(value)
      : `${currency ?? ''} ${plain.format(value)}`.trim();
};
const AMOUNTS: Partial<Record<Language, ReturnType<typeof amountOf>>> = {};

/** How an amount of money is written. A currency that the browser does not know is written before the number. */
export const useAmount = (): ((value: number, currency?: string) => string) => {
  const { language } = useLanguage();
  AMOUNTS[language] ??= amountOf(language);
  return AMOUNTS[language];
};

/** An amount of money. */
export const Amount = ({ value, currency }: AmountProps) => {
  const amount = useAmount();
  return <>{value === undefined ? '—' : amount(value, currency)}</>;
};
