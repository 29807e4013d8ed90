/** The end of a text that the address of a link or an image follows. */
const LINK_BEGINS = /\b(?:href|src|action|formaction|background|poster)\s{0,8}=\s{0,8}["']?$/i;
/** What browsers pass over at the beginning of an address, written as it is or as an entity. */
const PASSED_OVER = /(?:\s|&#x?[0-9a-f]{1,8};?|&(?:tab|newline|nbsp);)+$/i;
/** The text is cut before, so that matching takes constant time. */
const TAIL = 256;

/** Whether the address of a link or an image begins behind a text of HTML. */
export const beginsLink = (before: string): boolean => {
  const tail = before.slice(-TAIL);
  return LINK_BEGINS.test(tail) || LINK_BEGINS.test(tail.replace(PASSED_OVER, ''));
};

const SCRIPT = /^(?:javascript|vbscript|data):/i;
const UNSEEN = /[\s\p{Cc}]+/gu;
/** Whether a browser would run a text as an address: it passes over spaces and controls in it. */
export const isScriptAddress = (text: string): boolean => SCRIPT.test(text.replaceAll(UNSEEN, ''));
