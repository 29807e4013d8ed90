/** Max. size of an avatar given as a data URI, in bytes; data URIs are ASCII (docs/spec/contacts.md#avatar). */
export const MAX_AVATAR_DATA_BYTES = 64 * 1024;
const MAX_AVATAR_URL_LENGTH = 2_048;

const WEB_ADDRESS = /^https?:\/\/[\x21-\x7e]+$/i;
const DATA_HEAD = /^data:image\/[a-z0-9.+-]{1,40}(?:;charset=[a-z0-9-]{1,20})?(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const PERCENT_ENCODED = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})+$/;

const isImageData = (value: string): boolean => {
  const head = DATA_HEAD.exec(value);
  if (!head || value.length > MAX_AVATAR_DATA_BYTES) return false;
  const data = value.slice(head[0].length);
  // Buffer also decodes invalid base64, so alphabet and length are checked here.
  return head[1] ? data.length % 4 === 0 && BASE64.test(data) : PERCENT_ENCODED.test(data);
};

/** Whether a text is a valid avatar: an http(s) URL, or a data URI of an image up to 64 KB. Linear time. */
export const isAvatar = (value: string): boolean =>
  WEB_ADDRESS.test(value) ? value.length <= MAX_AVATAR_URL_LENGTH && URL.canParse(value) : isImageData(value);
