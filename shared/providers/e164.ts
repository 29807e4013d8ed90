/** Adds the plus that some providers leave out of an E.164 number. Shorter numbers are short codes and stay as they are. */
export const e164Of = (number: string): string => (/^[1-9]\d{6,14}$/.test(number) ? `+${number}` : number);
