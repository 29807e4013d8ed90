import { useTexts } from '../../app/texts.ts';
import type { Message } from '../../sdk.ts';
import { MESSAGE_TONES, StateOf } from '../../ui/values.tsx';
import { texts } from './texts.ts';

/** Whether a message may change yet. */
export const isOpen = ({ status, direction }: Message): boolean =>
  direction === 'outbound' && (status === 'queued' || status === 'sending' || status === 'sent');

/** A message's status in words. */
export const MessageStatus = ({ status }: Pick<Message, 'status'>) => (
  <StateOf state={status} tones={MESSAGE_TONES} words={useTexts(texts).statuses} />
);
