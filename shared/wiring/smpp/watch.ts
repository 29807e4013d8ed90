import { type WatchPorts, workOnWatch } from '../../domain/smpp/watch.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { smppAccountStore } from '../../storage/smpp/accounts.ts';
import { noticeQueue } from '../../storage/smpp/notices.ts';
import { watchStore } from '../../storage/smpp/watches.ts';
import { clock, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

const ports: WatchPorts = {
  clock,
  accounts: smppAccountStore(table),
  notices: noticeQueue(table),
  watches: watchStore(table),
  waitsTooLong: ({ accountId, organizationId }) => {
    measure({}, { SmppAccountsUnheard: 1 });
    logger.warn('reports or replies wait for an SMPP account that has no receiver', { accountId, organizationId });
  },
};

/** Checks an SMPP account for pending notices. */
export const processWatch = (item: WorkItem): Promise<void> => workOnWatch(ports, PARSE_KEY.smppWatch(item));
