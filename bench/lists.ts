import { BatchGetItemCommand, BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { withRetries } from '../shared/storage/client/retries.ts';
import type { Row } from '../shared/storage/client/row.ts';
import { inGroups, type Service, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

/** Contacts of the organization, unless LIST_CONTACTS says otherwise, and identifiers of a call. */
const CONTACTS = Number(process.env.LIST_CONTACTS ?? 300_000);
const COUNT = 50_000;
const GETS = 100;
const PUTS = 25;
/** Calls of the floor in flight, as the service has them. */
const AT_ONCE = 8;
const GOAL = 1.5;

const putAll = (client: DynamoDBClient, tableName: string, rows: readonly Row[]): Promise<unknown> =>
  mapConcurrently(inGroups(rows, PUTS), AT_ONCE, (group) => {
    const puts = group.map((row) => ({ PutRequest: { Item: marshall(row) } }));
    return withRetries(() => client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } })));
  });

/** Lays out contacts by the rows that find them: odd numbers by external id, even ones by id. Answers the ids. */
const layOut = async (client: DynamoDBClient, tableName: string, org: Id<'organization'>) => {
  const ids = Array.from({ length: CONTACTS }, () => newId('contact'));
  const rows = ids.map((id, number) =>
    number % 2 === 0
      ? { ...KEYS.contact(id), org, number, name: 'Ana Souza', createdAt: '2026-03-02T14:05:09.120Z' }
      : { ...KEYS.externalId(org, `cliente:${number}`), contactId: id, number, org },
  );
  await putAll(client, tableName, rows);
  return ids;
};

/** `COUNT` contacts, evenly over all of them, half by each kind of identifier; another choice for each `nth`. */
const identifiersOf = (ids: readonly Id<'contact'>[], nth: number) => {
  const numbers = Array.from({ length: COUNT }, (_, at) => Math.floor((at * CONTACTS) / COUNT / 2) * 2 + (at % 2));
  const chosen = numbers.map((number) => (number + nth * 2) % CONTACTS);
  return {
    contactIds: chosen.filter((number) => number % 2 === 0).map((number) => ids[number]),
    externalIds: chosen.filter((number) => number % 2 === 1).map((number) => `cliente:${number}`),
  };
};

interface Stage {
  readonly service: Service;
  readonly dynamodb: DynamoDBClient;
  readonly ids: readonly Id<'contact'>[];
}
const withStage = async <T>(counted: boolean, work: (stage: Stage) => Promise<T>): Promise<T> => {
  const service = await startService({ counted, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  const dynamodb = tableClient(service.store.endpoint);
  try {
    const ids = await layOut(dynamodb, service.table.name, service.organizationId);
    console.log(`lists: ${CONTACTS} contacts laid out`);
    return await work({ service, dynamodb, ids });
  } finally {
    dynamodb.destroy();
    await service.stop();
  }
};

const newList = async ({ service }: Stage): Promise<string> => {
  const { status, body, text } = await service.client.post('/v2/lists', { name: newId('list') });
  if (status !== 201) throw new Error(`a list was answered ${status}: ${text}`);
  return `/v2/lists/${body.id}/members`;
};
const CALLS = ['POST', 'PUT'] as const;
const edit = async ({ service, ids }: Stage, method: (typeof CALLS)[number], path: string, nth: number) => {
  const { status, body, text } = await service.client.call(method, path, { body: identifiersOf(ids, nth) });
  if (status !== 200 || body.matched !== COUNT) throw new Error(`${method} was answered ${status}: ${text}`);
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** What a membership a row would call the table with, and nothing else: the same reads, and a row for each member. */
const floor = async ({ service, dynamodb, ids }: Stage, nth: number): Promise<void> => {
  const { name } = service.table;
  const { contactIds, externalIds } = identifiersOf(ids, nth);
  const keys = [
    ...contactIds.map((id) => KEYS.contact(id ?? newId('contact'))),
    ...externalIds.map((externalId) => KEYS.externalId(service.organizationId, externalId)),
  ];
  await mapConcurrently(inGroups(keys, GETS), AT_ONCE, (group) => {
    const Keys = group.map(({ pk, sk }) => marshall({ pk, sk }));
    return dynamodb.send(new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }));
  });
  const list = newId('list');
  await putAll(
    dynamodb,
    name,
    keys.map((_, at) => ({ pk: `FLOOR#${list}#${at % 16}`, sk: ids[at] ?? '' })),
  );
};

const HOW = `One call of ${figure(COUNT)} identifiers, half external ids and half ids, of an organization with ${figure(CONTACTS)} contacts, to the service as \`npm start\` runs it, on an engine in memory:
\`POST …/members\` to an empty list, then \`PUT\` with other contacts, of which most differ. The floor calls the same engine from another process that parses no request and knows no rule: the same ${figure(COUNT / GETS)} BatchGetItem, and
${figure(COUNT / PUTS)} BatchWriteItem of a row for each member, ${AT_ONCE} in flight, as in the service. Medians of ${ROUNDS} rounds in turns. Units and round trips are the engine's, of one call each, through the counting proxy.
The floor of a \`PUT\` would also have to find and delete those that leave; it is not asked to.`;

/** A list's members changed by 50,000 identifiers, beside what a row for each member would cost. */
export const benchLists = async (): Promise<Section> => {
  const times = await withStage(false, async (stage) => {
    const runs = { POST: [] as number[], PUT: [] as number[], floor: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      const path = await newList(stage);
      const results = {
        POST: await timed(() => edit(stage, 'POST', path, round)),
        PUT: await timed(() => edit(stage, 'PUT', path, round + 1)),
        floor: await timed(() => floor(stage, round)),
      };
      console.log('lists:', results);
      if (round > 0) for (const what of ['POST', 'PUT', 'floor'] as const) runs[what].push(results[what]);
    }
    return { POST: median(runs.POST), PUT: median(runs.PUT), floor: median(runs.floor) };
  });
  const units = await withStage(true, async (stage) => {
    const path = await newList(stage);
    const taken = [];
    for (const [at, method] of CALLS.entries()) {
      stage.service.proxy.reset();
      await edit(stage, method, path, at);
      taken.push(stage.service.proxy.taken());
    }
    return taken;
  });
  const rows = CALLS.map((method, at) => ({
    Call: `${method} of ${figure(COUNT)}`,
    ms: figure(times[method]),
    'Relative to the floor': `${figure(times[method] / times.floor)}×`,
    WRU: figure(units[at]?.writeUnits ?? Number.NaN),
    RRU: figure(units[at]?.readUnits ?? Number.NaN),
    'Round trips': figure(units[at]?.trips ?? Number.NaN),
  }));
  const own = { Call: 'Floor', ms: figure(times.floor), 'Relative to the floor': '1×' };
  const floorRow = {
    ...own,
    WRU: figure(COUNT),
    RRU: figure(COUNT),
    'Round trips': figure(COUNT / GETS + COUNT / PUTS),
  };
  return {
    title: 'Static lists',
    verdicts: CALLS.map((method) =>
      verdict(
        `The time of a ${method} of ${figure(COUNT)} members, relative to the raw calls for a row each`,
        times[method] / times.floor,
        '≤',
        GOAL,
        '×',
      ),
    ),
    text: `${HOW}\n\n${columns([...rows, floorRow])}`,
  };
};
