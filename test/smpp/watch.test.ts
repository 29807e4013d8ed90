import { expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { SmppAccount } from '../../shared/domain/smpp/account.ts';
import { KEEP_NOTICE_MS } from '../../shared/domain/smpp/notice.ts';
import { MAX_WAIT_MS, WATCH_MS, type WatchPorts, workOnWatch } from '../../shared/domain/smpp/watch.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { noticeQueue } from '../../shared/storage/smpp/notices.ts';
import { watchStore } from '../../shared/storage/smpp/watches.ts';
import { SMPP_SHARDS, shardOf } from '../../shared/storage/table-indexes.ts';
import { leaseOf, useNotices } from './notices-kit.ts';

const { aMessage, notices, organizationId, ownTable, report, table, time } = await useNotices();

/** An account with its hourly check, as one that has been bound; `delete` removes the account. */
const watched = async () => {
  const accountId = newId('smppAccount');
  const reported: string[] = [];
  let isThere = true;
  const portsOf = (own: Table = table): WatchPorts => ({
    clock: () => time.now,
    accounts: { read: async () => (isThere ? ({ id: accountId } as SmppAccount) : undefined) },
    notices: noticeQueue(own),
    watches: watchStore(own),
    waitsTooLong: (watch) => void reported.push(watch.accountId),
  });
  const ports = portsOf();
  const begin = () => ports.watches.begin({ accountId, organizationId, dueAt: time.now + WATCH_MS });
  await begin();
  /** Does the checks that are due, by all of these processes at once; how often waiting notices were reported. */
  const check = async (...by: readonly WatchPorts[]): Promise<number> => {
    const due = (await overdue(table, 'smpp_watch', time.now, 1_000)).map(PARSE_KEY.smppWatch);
    for (const id of due.filter((one) => one === accountId))
      await Promise.all((by.length > 0 ? by : [ports]).map((each) => workOnWatch(each, id)));
    return reported.splice(0).length;
  };
  return { accountId, portsOf, begin, check, delete: () => (isThere = false) };
};
const pass = (ms: number) => {
  time.now += ms;
};

it('a notice that has waited for an hour, and that no process has tried to deliver, is reported once an hour until it is delivered', async () => {
  const { accountId, begin, check } = await watched();
  pass(WATCH_MS);
  expect(await check()).toBe(0);
  const message = aMessage(accountId, [{ wants: 'always' }], true);
  await report(message, 'delivered');
  pass(MAX_WAIT_MS - 1);
  expect(await check(), 'an hour has not passed since the last check').toBe(0);
  await begin();
  pass(1);
  expect(await check(), 'it was due a second after it was written').toBe(0);
  for (let hours = 0; hours < 3; hours++) {
    pass(WATCH_MS);
    expect(await check()).toBe(1);
    expect(await check()).toBe(0);
  }
  const [notice] = (await notices.page(leaseOf(accountId, shardOf(message.id, SMPP_SHARDS)), undefined)).notices;
  if (!notice) throw new Error('no notice');
  // A receiver was there, and did not take it: that is reported elsewhere.
  await notices.postpone(notice, 1, time.now + WATCH_MS - MAX_WAIT_MS + 1);
  pass(WATCH_MS);
  expect(await check()).toBe(0);
  pass(WATCH_MS);
  expect(await check()).toBe(1);
  await notices.remove(notice);
  pass(WATCH_MS);
  expect(await check()).toBe(0);
  expect(KEEP_NOTICE_MS).toBeGreaterThan(10 * (WATCH_MS + MAX_WAIT_MS));
});

it('each check reports once, whichever of twenty processes work on it', async () => {
  const { accountId, portsOf, check } = await watched();
  await report(aMessage(accountId), 'delivered');
  pass(2 * MAX_WAIT_MS);
  expect(await check(...Array.from({ length: 20 }, () => portsOf(ownTable())))).toBe(1);
});

it('the check ends with the account', async () => {
  const { accountId, check, delete: remove } = await watched();
  await report(aMessage(accountId), 'delivered');
  remove();
  pass(2 * WATCH_MS);
  expect(await check()).toBe(0);
  expect(await watchStore(table).read(accountId)).toBeUndefined();
});
