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

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The text that a person would read, if the message has one. */
export const textOf = ({ payload }: Message): string | undefined => {
  const { text, subject, email, media, title, body } = record(payload);
  const found = [text, body, subject, record(email).subject, record(media).caption, title].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return found as string | undefined;
};

/** A line that tells what is in a message. */
export const summaryOf = (message: Message): string => {
  const text = textOf(message);
  if (text !== undefined) return text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const { template, media } = record(message.payload);
  const name = record(template).name ?? record(media).kind;
  return typeof name === 'string' ? `${message.type} · ${name}` : message.type;
};
