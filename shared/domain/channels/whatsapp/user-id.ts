/** Longest user id, in characters: Meta documents a country code, a dot and at most 128 characters. */
const MAX_LENGTH = 256;

/** Whether an address is Meta's business-scoped id of a person whose phone is hidden, such as `BR.13491208655302741918`, and not a phone. */
export const isUserId = (address: string): boolean =>
  address.length > 0 && address.length <= MAX_LENGTH && !/[\p{Cc}\s]/u.test(address) && !/^\+?\d*$/.test(address);
