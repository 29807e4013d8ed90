/** Matches text that ends where the address of a link or image would follow. */
const LINK_BEGINS = /\b(?:href|src|action|formaction|background|poster)\s{0,8}=\s{0,8}["']?$/i;
/** Characters that browsers skip at the start of an address, literal or as an entity. */
const PASSED_OVER = /(?:\s|&#x?[0-9a-f]{1,8};?|&(?:tab|newline|nbsp);)+$/i;
/** Only the last characters are matched, so that matching takes constant time. */
const TAIL = 256;

/** Whether the address of a link or image would start after this HTML text. */
export const beginsLink = (before: string): boolean => {
  const tail = before.slice(-TAIL);
  return LINK_BEGINS.test(tail) || LINK_BEGINS.test(tail.replace(PASSED_OVER, ''));
};

const SCRIPT = /^(?:javascript|vbscript|data):/i;
const UNSEEN = /[\s\p{Cc}]+/gu;
/** Whether a browser would execute a text as an address; it ignores spaces and controls in it. */
export const isScriptAddress = (text: string): boolean => SCRIPT.test(text.replaceAll(UNSEEN, ''));
