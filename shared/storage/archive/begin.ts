import * as z from 'zod';
import { pause } from '../../domain/core/pause.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { time } from '../client/attributes.ts';
import { all, EXISTS } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { archiveKindOf } from './archivable-row.ts';
import { archiveExpiry } from './archive-expiry.ts';

/** Counts of rows by result. `open`: their money is not settled yet; they get their expiry when it is. */
export interface BegunCounts {
  readonly begun: number;
  readonly had: number;
  readonly open: number;
}
export interface BeginSettings {
  readonly archiveAfterDays: number;
  readonly rowsPerSecond: number;
  /** Also processes rows that already have an expiry, as after another setting. */
  readonly again: boolean;
  readonly now: number;
}

const stored = z.object({ createdAt: time, org: z.string(), from: z.string().optional(), hold: z.string().optional() });
const PAGE = 100;

/** Condition: the row still exists, and its money is settled. */
const isEnded: Condition = all(EXISTS, {
  text: '(attribute_not_exists(#hold) OR #hold <> :open)',
  values: { open: 'open' },
});

const beginRow = async (
  table: Table,
  row: Row,
  recipients: Vault,
  { archiveAfterDays, again, now }: BeginSettings,
): Promise<keyof BegunCounts | undefined> => {
  const known = archiveKindOf(row);
  // Opens and clicks follow their message.
  if (!known || known.kind === 'engagement') return undefined;
  if (row.ttl !== undefined && !again) return 'had';
  const { createdAt, org, from } = stored.parse(row);
  const { ttl = 0 } = archiveExpiry({ archiveAfterDays }, createdAt);
  const { ok } = await table.write({
    update: row,
    set: {
      ttl: Math.max(ttl, Math.floor(now / 1000)),
      ...(known.kind === 'reply' && from !== undefined ? { fromHash: recipients.blindIndex(org, 'phone', from) } : {}),
    },
    when: isEnded,
  });
  return ok ? 'begun' : 'open';
};

/**
 * Sets the expiry, after which rows move to the archive, on rows written before the setting. One Scan, a page at a time; an interrupted run
 * is restarted, and skips what is done. `recipients`: the vault of the blind indexes of recipients, which identify the sender of a reply.
 */
export const beginArchive = async (table: Table, recipients: Vault, settings: BeginSettings): Promise<BegunCounts> => {
  const counts = { begun: 0, had: 0, open: 0 };
  let after: Awaited<ReturnType<Table['scan']>>['last'];
  do {
    const from = performance.now();
    const page = await table.scan({ segment: 0, of: 1, after, limit: PAGE });
    for (const row of page.rows) {
      const outcome = await beginRow(table, row, recipients, settings);
      if (outcome) counts[outcome]++;
    }
    after = page.last;
    await pause(Math.max(0, (page.rows.length * 1000) / settings.rowsPerSecond - (performance.now() - from)));
  } while (after);
  return counts;
};
