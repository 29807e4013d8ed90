import { expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { requestCounting } from '../../shared/storage/messages/totals/counting.ts';
import { PATIENCE } from '../support/patience.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();

test.each(['live', 'test'] as const)(
  'a list that is to be counted is handed over and counted to its end: %s',
  async (env) => {
    const table = messaging.tables[env];
    const { id: organizationId } = await messaging.tenant();
    const list = `MSGS#sms#${organizationId}`;
    await requestCounting(table, { organizationId, channel: 'sms', list }, Date.now());
    const key = KEYS.listCounting(list, 'ALL');
    expect(await table.get(key)).toMatchObject({ org: organizationId });
    await vi.waitFor(async () => expect(await table.get(key)).toBeUndefined(), PATIENCE);
  },
);
