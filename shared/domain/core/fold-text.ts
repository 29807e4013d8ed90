/** A text as it is searched for: without case, accents and compatibility forms, so that `Joao` finds `JOÃO`. */
export const foldText = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
