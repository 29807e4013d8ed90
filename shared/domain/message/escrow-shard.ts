import { type Id, parseId } from '../core/ids.ts';

/** The shard of a chunk's escrow that holds a message's money until the message's hold is resolved. */
export interface EscrowShard {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly shard: number;
}

/** The shard as stored on a message: `<batchId>#<chunk>#<shard>`. */
export const formatEscrowShard = ({ batchId, chunk, shard }: EscrowShard): string => `${batchId}#${chunk}#${shard}`;

/** Parses a message's shard; throws a TypeError on any other text. */
export const parseEscrowShard = (text: string): EscrowShard => {
  const [batchId, chunk, shard] = text.split('#');
  return { batchId: parseId('batch', batchId), chunk: Number(chunk), shard: Number(shard) };
};
