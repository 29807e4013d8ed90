import { parseMailbox } from '../core/email-address.ts';
import type { MessageRecord } from '../message/message.ts';
import type { SenderChannel } from '../senders/sender.ts';

/** The sender that a message names: an e-mail address, an SMS sender or an agent; undefined for the stage's default. */
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
