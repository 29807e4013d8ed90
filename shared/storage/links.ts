import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { LinkPorts, ShortLink } from '../domain/links/follow.ts';
import { KEYS } from './access-patterns.ts';
import { engagedWrite } from './engagement.ts';
import { eventWrite } from './outbox.ts';
import type { Row, Table } from './table.ts';

const linkRow = z.object({
  code: z.string(),
  url: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  messageId: z.string(),
  clicks: z.int().min(0),
});

/** Reads a link's row, which its message's reservation put; every field is checked. */
export const parseLink = (row: Row): ShortLink => {
  const { org, ...fields } = linkRow.parse(row);
  return { ...fields, organizationId: org } as unknown as ShortLink;
};

/** Short links in the table of one stage. `raised` hears of committed events, to hint at them; it may lose them. */
export const linkStore = (
  table: Table,
  raised: (eventId: string) => void,
): Pick<LinkPorts, 'countClick' | 'readLink'> => ({
  async readLink(code) {
    const row = await table.get(KEYS.link(code));
    return row && parseLink(row);
  },

  async countClick(link, event) {
    const outcome = await table.transact([
      {
        update: KEYS.link(link.code),
        add: { clicks: 1 },
        when: { text: '#clicks = :clicks', values: { clicks: link.clicks } },
      },
      { ...eventWrite(event), when: { text: 'attribute_not_exists(#pk)' } },
      engagedWrite(link.messageId, 'clicked', event.createdAt),
    ]);
    // The event stands there already: an earlier try of this very click was committed, and its answer was lost.
    const counted = outcome.ok || outcome.reasons[1]?.conditionFailed === true;
    if (counted) raised(event.id);
    return counted;
  },
});
