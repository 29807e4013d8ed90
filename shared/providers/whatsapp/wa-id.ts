import { isUserId } from '../../domain/channels/whatsapp/user-id.ts';

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

/** A person as Meta identifies them. */
export interface MetaPerson {
  /** E.164, or the business-scoped user id if the person's phone is hidden. */
  readonly from: string;
  /** The business-scoped user id, if the phone is known too. */
  readonly userId?: string;
}

/**
 * The person of a WhatsApp id and a business-scoped user id (whatsapp/business-scoped-user-ids). Meta leaves the WhatsApp id of a person with
 * a username empty, or omits it, unless the business wrote to the phone within 30 days or is in the person's address book. Undefined if
 * neither is readable.
 */
export const personOf = (waId: string | undefined, userId: string | undefined): MetaPerson | undefined => {
  const known = userId !== undefined && isUserId(userId) ? userId : undefined;
  if (waId !== undefined && /^\d{5,20}$/.test(waId))
    return { from: phoneOfWaId(waId), ...(known === undefined ? {} : { userId: known }) };
  return known === undefined ? undefined : { from: known };
};
