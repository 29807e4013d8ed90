/** A number in E.164 from a provider that leaves the plus away; shorter numbers are short codes, and stay as they are. */
export const e164Of = (number: string): string => (/^[1-9]\d{6,14}$/.test(number) ? `+${number}` : number);
