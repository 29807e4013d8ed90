const EMAIL = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+/g;
/** Five digits or more, in any grouping: a phone, a document, a card. */
const DIGITS = /\+?\d(?:[\s().-]?\d){4,}/g;

/** Masks e-mail addresses and numbers in text that others wrote, such as a provider's error. */
export const maskText = (text: string): string => text.replace(EMAIL, '••••').replace(DIGITS, '••••');
