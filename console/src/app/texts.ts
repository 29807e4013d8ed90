import { createContext, use } from 'react';

/** The languages of the console. */
export const LANGUAGES = ['pt', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The type of a translation: the same names, any texts; functions keep their parameters. */
type Translation<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: infer V) => string
      ? (...values: V) => string
      : Translation<T[K]>;
};
/** An area's texts in both languages. */
export interface Texts<T> {
  readonly pt: Translation<T>;
  readonly en: Translation<T>;
}

/** Declares texts: Portuguese first, English with the same names. */
export const defineTexts = <const T extends object>(pt: T, en: Translation<T>): Texts<T> => ({
  pt: pt as unknown as Translation<T>,
  en,
});

const KEY = 'console-language';

/** The language that the person chose, else the first of the browser's that the console speaks, else Portuguese. */
export const initialLanguage = (): Language => {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  for (const tag of wanted) {
    const language = LANGUAGES.find((each) => tag.toLowerCase().startsWith(each));
    if (language) return language;
  }
  return 'pt';
};

export const storeLanguage = (language: Language): void => localStorage.setItem(KEY, language);

/** The BCP 47 tag that numbers and dates are written by. */
export const LOCALES: Readonly<Record<Language, string>> = { pt: 'pt-BR', en: 'en-GB' };

interface LanguageChoice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}
export const LanguageContext = createContext<LanguageChoice>({ language: 'pt', choose: () => undefined });
export const useLanguage = (): LanguageChoice => use(LanguageContext);

/** An area's texts in the language of the person. */
export const useTexts = <T>(texts: Texts<T>): Translation<T> => texts[useLanguage().language];
