import * as z from 'zod';
import { isoTime } from '../../domain/core/time.ts';
import { linkCodesIn, type ShortLink } from '../../domain/links/short-link.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { Reservation } from '../../domain/sending/message-store.ts';
import type { LinkPorts } from '../../domain/tracking/follow-link.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { signalWorkItems } from '../automation/run-signals.ts';
import { id, tenant } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { engagementWrites } from './engagement.ts';

/** Short links, each written by its message's reservation. */
export const linkRows = defineRow<ShortLink>()({
  attributes: {
    code: z.string(),
    url: z.string(),
    ...tenant,
    messageId: id('message'),
    clicks: z.int().min(0),
  },
  key: (link) => KEYS.link(link.code),
});

/** The writes of a message's short links, as part of its reservation. */
export const linkWrites = ({ message, links }: Pick<Reservation, 'message' | 'links'>): WriteOp[] => {
  const { organizationId, env, id: messageId, createdAt } = message;
  return links.map(({ code, url }) => {
    const row = linkRows.write({ code, url, organizationId, env, messageId, clicks: 0 });
    return { put: { ...row, createdAt: isoTime(createdAt) }, when: ABSENT };
  });
};

/**
 * Deletes the short links of a message, whose URLs may contain personal data. They are found by the message's content, so call this before
 * that is erased. Idempotent.
 */
export const eraseLinks = async (table: Table, { id: messageId, content }: MessageRecord): Promise<void> => {
  const keys = linkCodesIn(JSON.stringify(content)).map(KEYS.link);
  const rows = await table.getMany(keys);
  // Another message's link may have been repeated in the text.
  const own = rows.flatMap((row) => (row ? [linkRows.read(row)] : [])).filter((link) => link.messageId === messageId);
  await Promise.all(own.map(({ code }) => table.write({ delete: KEYS.link(code) })));
};

/** Short links in the table of one stage. `raised` gets the work of committed clicks for early publication; best effort. */
export const linkStore = (
  table: Table,
  raised: (workItems: readonly Publishable[]) => void,
): Pick<LinkPorts, 'countClick' | 'readLink'> => ({
  async readLink(code) {
    const row = await table.get(KEYS.link(code));
    return row && linkRows.read(row);
  },

  async countClick(link, message, event) {
    const { writes, signal } = await engagementWrites(table, { message, what: 'clicked', at: event.createdAt });
    // Stored even without subscribers: it distinguishes a click whose response was lost from one that was not counted.
    const outcome = await table.transact([
      {
        update: KEYS.link(link.code),
        add: { clicks: 1 },
        when: { text: '#clicks = :clicks', values: { clicks: link.clicks } },
      },
      { ...eventWrite(event), when: ABSENT },
      ...writes,
    ]);
    // The event exists: an earlier attempt of this click was committed, and its response was lost.
    const counted = outcome.ok || outcome.reasons[1]?.conditionFailed === true;
    if (counted) raised([eventWorkItem(event), ...signalWorkItems(signal)]);
    return counted;
  },
});
