import { foldText } from '../core/fold-text.ts';

const WORD = /[\p{L}\p{N}]+/gu;
/** A text normalized for comparing words: without case and accents, words between spaces. */
const asWords = (text: string): string => ` ${(foldText(text).match(WORD) ?? []).join(' ')} `;

/**
 * Whether a text contains a word, or several in sequence, as whole words and ignoring case and accents; true for any text if no word is
 * given.
 */
export const holdsWord = (text: string | undefined, word: string | undefined): boolean =>
  word === undefined || (text !== undefined && asWords(text).includes(asWords(word)));

/** Whether a text contains any word. */
export const hasWords = (text: string): boolean => asWords(text).trim() !== '';
