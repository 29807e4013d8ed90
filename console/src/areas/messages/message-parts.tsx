import { useTexts } from '../../app/texts.ts';
import type { Message } from '../../sdk.ts';
import { StateOf, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Message['status'], Tone>> = {
  queued: 'pending',
  sending: 'pending',
  sent: 'pending',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  archived: 'neutral',
};

/** Whether a message may change yet. */
export const isOpen = ({ status, direction }: Message): boolean =>
  direction === 'outbound' && (status === 'queued' || status === 'sending' || status === 'sent');

/** A message's status in words. */
export const MessageStatus = ({ status }: Pick<Message, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useTexts(texts).statuses} />
);
