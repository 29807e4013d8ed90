import { expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageStatus } from '../../shared/domain/message/message.ts';
import type { SmppReceipt } from '../../shared/domain/message/smpp-origin.ts';
import { isReportWanted, reportedIds } from '../../shared/domain/message/smpp-reports.ts';

const STATUSES: readonly MessageStatus[] = ['queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed'];
const wanted = (receipt: SmppReceipt) => STATUSES.filter((status) => isReportWanted(receipt, status));

it.each([
  [{ wants: 'never' }, []],
  [{ wants: 'always' }, ['delivered', 'undelivered', 'failed']],
  [{ wants: 'failure' }, ['undelivered', 'failed']],
  [{ wants: 'success' }, ['delivered']],
  [{ wants: 'never', intermediate: true }, ['sent']],
  [{ wants: 'failure', intermediate: true }, ['sent', 'undelivered', 'failed']],
] as const)('%j is reported for %j', (receipt, statuses) => {
  expect(wanted(receipt)).toEqual(statuses);
});

it('a status is reported under the ids of the parts that requested it, in their order, or under the message’s own id if it has no parts', () => {
  const id = newId('message');
  const accountId = newId('smppAccount');
  const ids = (receipts: readonly SmppReceipt[]) => reportedIds({ id, smpp: { accountId, receipts } }, 'delivered');
  expect(ids([{ wants: 'always' }])).toEqual([id]);
  expect(
    ids([
      { id: 'a', wants: 'always' },
      { id: 'b', wants: 'failure' },
      { id: 'c', wants: 'success' },
    ]),
  ).toEqual(['a', 'c']);
  expect(reportedIds({ id }, 'delivered')).toEqual([]);
});
