import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';

/** The attribute of a part of a message. */
export const partName = (number: number): string => `part${number}`;

/** The write by which a message takes the parts that it was put together of: it fails unless they are as they were read. */
export const takenPartsWrites = ({ id: messageId, smpp }: MessageRecord): WriteOp[] => {
  const { assembled } = smpp ?? {};
  if (!assembled) return [];
  const { id: assemblyId, version, last } = assembled;
  return [
    {
      update: KEYS.smppParts(assemblyId),
      set: { state: 'sent', messageId, last: last?.number },
      add: { version: 1 },
      when: { text: '#version = :version', values: { version } },
    },
  ];
};

/** The write by which a message that was refused to its submitter gives the parts back, but for the one that was refused. */
export const returnedPartsWrites = ({ id: messageId, smpp }: MessageRecord): WriteOp[] => {
  const { assembled } = smpp ?? {};
  if (!assembled) return [];
  const { id: assemblyId, last } = assembled;
  return [
    {
      update: KEYS.smppParts(assemblyId),
      remove: ['state', 'messageId', 'last', ...(last ? [partName(last.number)] : [])],
      add: { version: 1, characters: -(last?.characters ?? 0) },
      when: { text: '#messageId = :messageId', values: { messageId } },
    },
  ];
};
