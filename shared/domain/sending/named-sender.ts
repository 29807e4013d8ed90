import { parseMailbox } from '../core/email-address.ts';
import type { MessageRecord } from '../message/message.ts';
import type { SenderChannel } from '../senders/sender.ts';

/** The sender that a message names: the address of an e-mail, a sender of SMS or an agent; undefined for the stage's own. */
export const senderOfMessage = (
  message: MessageRecord,
): { readonly channel: SenderChannel; readonly value: string } | undefined => {
  const { channel } = message;
  if (channel === 'email') {
    const mailbox = parseMailbox(message.content.from);
    return mailbox && { channel, value: mailbox.address };
  }
  const named = channel === 'sms' || channel === 'rcs' ? message.content.senderId : undefined;
  return named === undefined ? undefined : { channel: channel as 'rcs' | 'sms', value: named };
};
