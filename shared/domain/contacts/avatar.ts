/** The most that an avatar given as a data URI may take, in bytes: a data URI is ASCII (interface, part 8). */
export const AVATAR_DATA_BYTES = 64 * 1024;
/** The longest address of an avatar. */
export const AVATAR_URL_LENGTH = 2_048;

const WEB_ADDRESS = /^https?:\/\/[\x21-\x7e]+$/i;
const DATA_HEAD = /^data:image\/[a-z0-9.+-]{1,40}(?:;charset=[a-z0-9-]{1,20})?(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const PERCENT_ENCODED = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})+$/;

const isImageData = (value: string): boolean => {
  const head = DATA_HEAD.exec(value);
  if (!head || value.length > AVATAR_DATA_BYTES) return false;
  const data = value.slice(head[0].length);
  // Buffer reads base64 that is none: the alphabet and the length are checked here.
  return head[1] ? data.length % 4 === 0 && BASE64.test(data) : PERCENT_ENCODED.test(data);
};

/** Whether a text is an avatar: an http(s) address, or an image as a data URI of at most 64 KB. Linear in the text. */
export const isAvatar = (value: string): boolean =>
  WEB_ADDRESS.test(value) ? value.length <= AVATAR_URL_LENGTH && URL.canParse(value) : isImageData(value);
