import { type Id, parseId } from '../core/ids.ts';

/** The lane of a chunk's escrow that holds a message's money until the message's hold is resolved. */
export interface EscrowLane {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly lane: number;
}

/** The lane as stored on a message: `<batchId>#<chunk>#<lane>`. */
export const formatEscrowLane = ({ batchId, chunk, lane }: EscrowLane): string => `${batchId}#${chunk}#${lane}`;

/** Parses a message's lane; throws a TypeError on any other text. */
export const parseEscrowLane = (text: string): EscrowLane => {
  const [batchId, chunk, lane] = text.split('#');
  return { batchId: parseId('batch', batchId), chunk: Number(chunk), lane: Number(lane) };
};
