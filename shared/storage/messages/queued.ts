import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { messageRows } from './message-rows.ts';

/** Seals content that is sent later (recipients and texts of fallback steps, bodies of e-mails) and access tokens, each for its message or number. */
export interface Sealer {
  seal(organizationId: Id<'organization'>, owner: Id<'message'> | Id<'number'>, text: string): Promise<string>;
  open(organizationId: Id<'organization'>, owner: Id<'message'> | Id<'number'>, sealed: string): Promise<string>;
}

/** Stores content of a queued message that is sent but not part of its record, until its hold is resolved. */
export const bodyWrite = async (sealer: Sealer, message: MessageRecord, body: string): Promise<WriteOp> => ({
  put: { ...KEYS.messageBody(message.id), body: await sealer.seal(message.organizationId, message.id, body) },
});
/** Deletes that content when the hold is resolved. */
export const bodyDeletes = ({ id, hasBody }: MessageRecord): WriteOp[] =>
  hasBody ? [{ delete: KEYS.messageBody(id) }] : [];

/** Queued messages in the table of one stage. */
export const queuedStore = (table: Table, sealer: Sealer) => ({
  /** The content of a queued message to send: its stored content, or the sealed rest of it; undefined if that was deleted. */
  async contentOf(message: MessageRecord): Promise<unknown> {
    if (!message.hasBody) return message.content;
    const row = await table.get(KEYS.messageBody(message.id));
    if (!row) return undefined;
    return JSON.parse(await sealer.open(message.organizationId, message.id, z.string().parse(row.body)));
  },
  /** Whether an earlier message of the same fallback was delivered. */
  async isSuperseded({ fallbackId, id }: MessageRecord): Promise<boolean> {
    if (fallbackId === undefined || fallbackId === id) return false;
    return (await table.get(KEYS.fallback(fallbackId)))?.state === 'delivered';
  },
  /** Moves the time of a queued message (ms). False if it changed meanwhile. */
  async postpone(
    message: MessageRecord,
    until: number,
    decision: MessageRecord['decisions'][number],
  ): Promise<boolean> {
    const { ok } = await table.write({
      update: KEYS.message(message.id),
      set: {
        ...messageRows.set({ deadline: until, deferredTo: until, updatedAt: decision.at }),
        ...INDEX_KEYS.due('send_message', message.id, until),
      },
      append: { decisions: [decision] },
      when: {
        text: '#status = :queued AND #fence = :fence AND #deadline = :deadline',
        values: { queued: 'queued', fence: message.fence, deadline: message.deadline },
      },
    });
    return ok;
  },
});
