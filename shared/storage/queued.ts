import * as z from 'zod';
import type { MessageRecord } from '../domain/messages/message.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Table } from './table.ts';

/** Seals what is to leave later: recipients and texts of hops, bodies of e-mails. */
export interface Sealer {
  seal(organizationId: string, messageId: string, text: string): Promise<string>;
  open(organizationId: string, messageId: string, sealed: string): Promise<string>;
}

/** Keeps what leaves of a queued message besides what is kept of it, until its hold is resolved. */
export const bodyWrite = async (sealer: Sealer, message: MessageRecord, body: string): Promise<WriteOp> => ({
  put: { ...KEYS.messageBody(message.id), body: await sealer.seal(message.organizationId, message.id, body) },
});
/** It goes when the hold is resolved. */
export const bodyGone = ({ id, hasBody }: MessageRecord): WriteOp[] =>
  hasBody ? [{ delete: KEYS.messageBody(id) }] : [];

/** Queued messages in the table of one stage. */
export const queuedStore = (table: Table, sealer: Sealer) => ({
  /** What leaves of a queued message: what is kept of it, or the rest that lies sealed beside it; undefined when that is gone. */
  async contentOf(message: MessageRecord): Promise<unknown> {
    if (!message.hasBody) return message.content;
    const row = await table.get(KEYS.messageBody(message.id));
    if (!row) return undefined;
    return JSON.parse(await sealer.open(message.organizationId, message.id, z.string().parse(row.body)));
  },
  /** Whether a way of its chain before it has arrived. */
  async overtaken({ chainId, id }: MessageRecord): Promise<boolean> {
    if (chainId === undefined || chainId === id) return false;
    return (await table.get(KEYS.chain(chainId)))?.state === 'delivered';
  },
  /** Moves a queued message's moment (ms); false when it moved meanwhile. */
  async postpone(
    message: MessageRecord,
    until: number,
    decision: MessageRecord['decisions'][number],
  ): Promise<boolean> {
    const { ok } = await table.write({
      update: KEYS.message(message.id),
      set: { deadline: until, updatedAt: isoTime(decision.at), ...FINDS.due('send_message', message.id, until) },
      append: { decisions: [decision] },
      when: {
        text: '#status = :queued AND #fence = :fence AND #deadline = :deadline',
        values: { queued: 'queued', fence: message.fence, deadline: message.deadline },
      },
    });
    return ok;
  },
});
