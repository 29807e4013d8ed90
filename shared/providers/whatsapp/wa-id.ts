/**
 * The E.164 number of a WhatsApp id. The id is the number, without the plus, as it was when its owner joined. Brazilian mobiles from before
 * the ninth digit lack it (eight digits starting with 6 to 9; landlines start with 2 to 5), and Mexican numbers from before 2019 have a 1
 * after the country code. Today's number is the one that messages are sent to and contacts have.
 */
export const phoneOfWaId = (waId: string): string => {
  const brazilian = /^55([1-9]{2})([6-9]\d{7})$/.exec(waId);
  if (brazilian) return `+55${brazilian[1]}9${brazilian[2]}`;
  const mexican = /^521(\d{10})$/.exec(waId);
  return mexican ? `+52${mexican[1]}` : `+${waId}`;
};
