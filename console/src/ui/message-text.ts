import type { Message } from '../sdk.ts';

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The text that a person would read, if the message has one. */
export const textOf = ({ payload }: Pick<Message, 'payload'>): string | undefined => {
  const { text, subject, email, media, title, body } = record(payload);
  const found = [text, body, subject, record(email).subject, record(media).caption, title].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return found as string | undefined;
};

/** A line that summarizes the content of a message. */
export const summaryOf = (message: Pick<Message, 'payload' | 'type'>): string => {
  const text = textOf(message);
  if (text !== undefined) return text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const { template, media } = record(message.payload);
  const name = record(template).name ?? record(media).kind;
  return typeof name === 'string' ? `${message.type} · ${name}` : message.type;
};
