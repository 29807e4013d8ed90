import { foldText } from '../core/fold-text.ts';

const WORD = /[\p{L}\p{N}]+/gu;
/** A text as its words are compared: without case and accents, each between spaces. */
const asWords = (text: string): string => ` ${(foldText(text).match(WORD) ?? []).join(' ')} `;

/** Whether a text holds a word, or several in a row, as whole words and whatever their case and accents; any text where there is none. */
export const holdsWord = (text: string | undefined, word: string | undefined): boolean =>
  word === undefined || (text !== undefined && asWords(text).includes(asWords(word)));

/** Whether a text has a word at all. */
export const hasWords = (text: string): boolean => asWords(text).trim() !== '';
