/**
 * The E.164 phone of a WhatsApp id. An id is a phone without its plus, in the form that it had when its owner joined: a Brazilian mobile
 * that joined before the ninth digit came has none (a subscriber number of eight digits that begins with 6 to 9 is no other; landlines
 * begin with 2 to 5), and a Mexican one that joined before 2019 still has a 1 after the country code. Both are reached by the number of
 * today, which is what people are sent messages at and what contacts have.
 */
export const phoneOfWaId = (waId: string): string => {
  const brazilian = /^55([1-9]{2})([6-9]\d{7})$/.exec(waId);
  if (brazilian) return `+55${brazilian[1]}9${brazilian[2]}`;
  const mexican = /^521(\d{10})$/.exec(waId);
  return mexican ? `+52${mexican[1]}` : `+${waId}`;
};
