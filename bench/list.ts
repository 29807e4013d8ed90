import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { MessageRecord } from '../shared/domain/message/message.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { withRetries } from '../shared/storage/client/retries.ts';
import { messageRows } from '../shared/storage/messages/message-rows.ts';
import type { Client } from '../test/support/api.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { fundedOrganization, startService } from './processes.ts';
import { figure, median, type Section, table, verdict } from './report.ts';

const SIZES = [1_000, 100_000];
const SKIPS = [0, 100, 900];
const LIMIT = 50;
const REPEATS = 30;
const GOAL = 1.2;
const BATCH = 25;
const AT_ONCE = 4;

const messageAt = (organizationId: Id<'organization'>, at: number): MessageRecord => ({
  id: newId('message'),
  organizationId,
  env: 'test',
  channel: 'sms',
  direction: 'outbound',
  type: 'text',
  priority: 'normal',
  status: 'delivered',
  to: '+5511999990005',
  recipientHash: `hash-${at % 1_000}`,
  region: 'BR',
  route: 'otp',
  provider: 'sandbox_provider',
  units: 1,
  content: { text: 'Your order is on its way.', encoding: 'GSM-7', length: 26, segments: 1 },
  contactId: undefined,
  campaignId: undefined,
  metadata: undefined,
  coins: 900 as MessageRecord['coins'],
  hold: 'captured',
  fence: 1,
  deadline: at,
  callerKey: `key-${at}`,
  attempts: 1,
  createdAt: at,
  updatedAt: at,
  sentAt: at,
  decisions: [{ at, kind: 'accepted', detail: 'request accepted' }],
});

/** Rows that are not due, as those of finished messages. */
const rowAt = (organizationId: Id<'organization'>, at: number) =>
  marshall(messageRows.write(messageAt(organizationId, at)), { removeUndefinedValues: true });

/** Writes this many messages of an organization, a millisecond apart. */
const fill = async (
  client: DynamoDBClient,
  tableName: string,
  organizationId: Id<'organization'>,
  count: number,
): Promise<void> => {
  const start = Date.now() - count - 1_000;
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => at * BATCH);
  await mapConcurrently(starts, AT_ONCE, (from) => {
    const items = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      rowAt(organizationId, start + from + at),
    );
    const RequestItems = { [tableName]: items.map((Item) => ({ PutRequest: { Item } })) };
    return withRetries(() => client.send(new BatchWriteItemCommand({ RequestItems })));
  });
};

interface Page {
  readonly size: number;
  readonly skip: number;
  readonly ms: number;
  readonly readUnits: number;
  readonly trips: number;
}

const readPage = async (client: Client, skip: number, size: number): Promise<void> => {
  const { status, body } = await client.get('/v2/sms/messages', { limit: LIMIT, skip });
  const right = status === 200 && body.items.length === Math.min(LIMIT, size - skip) && body.total === size;
  if (!right) throw new Error(`a page was answered ${status}: ${body?.items?.length} of ${body?.total}`);
};

const measurePages = async (
  proxy: CountingProxy,
  callers: readonly { size: number; client: Client }[],
): Promise<Page[]> => {
  const times = new Map<string, number[]>();
  const units = new Map<string, { readUnits: number; trips: number }>();
  for (let turn = 0; turn <= REPEATS; turn++)
    for (const skip of SKIPS)
      for (const { size, client } of callers) {
        proxy.reset();
        const startedAt = performance.now();
        await readPage(client, skip, size);
        const name = `${size} ${skip}`;
        if (turn > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
        units.set(name, proxy.taken());
      }
  return SKIPS.flatMap((skip) =>
    callers.map(({ size }): Page => {
      const { readUnits = Number.NaN, trips = Number.NaN } = units.get(`${size} ${skip}`) ?? {};
      return { size, skip, ms: median(times.get(`${size} ${skip}`) ?? []), readUnits, trips };
    }),
  );
};

const measure = async (): Promise<Page[]> => {
  const service = await startService({ counted: true, env: { DISPATCH_SECONDS: '60000' } });
  const dynamodb = tableClient(service.store.endpoint);
  try {
    const callers: { size: number; client: Client }[] = [];
    for (const size of SIZES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      await fill(dynamodb, service.table.name, organizationId, size);
      await service.table.write({ update: KEYS.wallet(organizationId), add: { sms: size } });
      callers.push({ size, client: service.clientOf(keys.test) });
    }
    return await measurePages(service.proxy, callers);
  } finally {
    dynamodb.destroy();
    await service.stop();
  }
};

/** Cost of a page as the list grows. */
export const benchList = async (): Promise<Section> => {
  const pages = await measure();
  const sizes = `at ${figure(SIZES[1] ?? 0)} messages relative to ${figure(SIZES[0] ?? 0)}`;
  const verdicts = SKIPS.flatMap((skip) => {
    const [small, large] = SIZES.map((size) => pages.find((page) => page.size === size && page.skip === skip));
    const ratio = (of: 'ms' | 'readUnits') => (large?.[of] ?? Number.NaN) / (small?.[of] ?? 0);
    return [
      verdict(`A page's time ${sizes}, skip ${skip}`, ratio('ms'), '≤', GOAL, '×'),
      verdict(`A page's read units ${sizes}, skip ${skip}`, ratio('readUnits'), '≤', GOAL, '×'),
    ];
  });
  const text = [
    `\`GET /v2/sms/messages?limit=${LIMIT}&skip=…\` of two organizations in one table, through the counting proxy: medians of ${REPEATS} alternating requests; round trips and read units of one request.`,
    table(
      ['Skip', 'Messages', 'ms', 'RRU (engine)', 'Round trips'],
      pages.map(({ skip, size, ms, readUnits, trips }) => [skip, figure(size), figure(ms), figure(readUnits), trips]),
    ),
  ];
  return { title: 'A page of a list', rounds: REPEATS, verdicts, text: text.join('\n\n') };
};
