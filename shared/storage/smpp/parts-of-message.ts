import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';

/** The attribute of a part of a message. */
export const partName = (number: number): string => `part${number}`;

/** The write by which a message consumes the parts that it was assembled from. Condition: they are unchanged since they were read. */
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

/** The write that returns the parts of a message that was refused to its submitter, except the refused one. */
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
