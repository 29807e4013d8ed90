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

/** Contacts of the organizations, unless LIST_CONTACTS says otherwise, and identifiers of a call. */
const SIZES = (process.env.LIST_CONTACTS ?? '10000,100000,1000000').split(',').map(Number);
const COUNT = 50_000;
const GETS = 100;
const PUTS = 25;
/** Calls of the floor in flight, as the service has them. */
const CONCURRENCY = 8;
const GOAL = 1.5;

const putAll = (client: DynamoDBClient, tableName: string, rows: readonly Row[]): Promise<unknown> =>
  mapConcurrently(inGroups(rows, PUTS), CONCURRENCY, (group) => {
    const puts = group.map((row) => ({ PutRequest: { Item: marshall(row) } }));
    return withRetries(() => client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } })));
  });

/** Lays out contacts by the rows that find them: odd numbers by external id, even ones by id. Answers the ids. */
const layOut = async (client: DynamoDBClient, tableName: string, org: Id<'organization'>, size: number) => {
  const ids = Array.from({ length: size }, () => newId('contact'));
  const rows = ids.map((id, number) =>
    number % 2 === 0
      ? { ...KEYS.contact(id), org, number, name: 'Ana Souza', createdAt: '2026-03-02T14:05:09.120Z' }
      : { ...KEYS.externalId(org, `cliente:${number}`), contactId: id, number, org },
  );
  await putAll(client, tableName, rows);
  return ids;
};

/** How many contacts a call names: `COUNT`, but of a small organization half of its contacts, so that a `PUT` has others to put in their place. */
const namedOf = (size: number): number => Math.min(COUNT, size / 2);

/**
 * `COUNT` identifiers: contacts evenly over all of them, half by each kind, and another choice for each `nth`; the rest, where there are not so many contacts,
 * external ids that nobody has.
 */
const identifiersOf = (ids: readonly Id<'contact'>[], nth: number) => {
  const [size, named] = [ids.length, namedOf(ids.length)];
  const numbers = Array.from({ length: named }, (_, at) => Math.floor((at * size) / named / 2) * 2 + (at % 2));
  const chosen = numbers.map((number) => (number + nth * 2) % size);
  const nobodys = Array.from({ length: COUNT - named }, (_, at) => `cliente:${size + at}`);
  return {
    contactIds: chosen.filter((number) => number % 2 === 0).map((number) => ids[number]),
    externalIds: [...chosen.filter((number) => number % 2 === 1).map((number) => `cliente:${number}`), ...nobodys],
  };
};

interface Stage {
  readonly service: Service;
  readonly dynamodb: DynamoDBClient;
  readonly ids: readonly Id<'contact'>[];
}
const withStage = async <T>(size: number, counted: boolean, work: (stage: Stage) => Promise<T>): Promise<T> => {
  const service = await startService({ counted, inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  const dynamodb = tableClient(service.store.endpoint);
  try {
    const ids = await layOut(dynamodb, service.table.name, service.organizationId, size);
    console.log(`lists: ${size} contacts laid out`);
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
  if (status !== 200 || body.matched !== namedOf(ids.length))
    throw new Error(`${method} was answered ${status}: ${text}`);
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
  await mapConcurrently(inGroups(keys, GETS), CONCURRENCY, (group) => {
    const Keys = group.map(({ pk, sk }) => marshall({ pk, sk }));
    return dynamodb.send(new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }));
  });
  const list = newId('list');
  await putAll(
    dynamodb,
    name,
    ids.slice(0, namedOf(ids.length)).map((id, at) => ({ pk: `FLOOR#${list}#${at % 16}`, sk: id })),
  );
};

const HOW = `One call of ${figure(COUNT)} identifiers, half external ids and half ids, of organizations with these numbers of contacts, to the service as \`npm start\` runs it, on an engine in memory:
where there are fewer contacts than twice as many, a call names half of them, and otherwise external ids that nobody has. \`POST …/members\` to an empty list, then \`PUT\` with other contacts, of which most differ. The floor calls the same engine from another process that parses no request and knows no rule: the same ${figure(COUNT / GETS)} BatchGetItem, and
a BatchWriteItem for each ${PUTS} members, of a row for each, ${CONCURRENCY} in flight, as in the service. Medians of ${ROUNDS} rounds in turns. Units and round trips are the engine's, of one call each, through the counting proxy.
The floor of a \`PUT\` would also have to find and delete those that leave; it is not asked to.`;

/** What the calls took at a size: medians in ms, and the engine's counts of one call each. */
interface Measured {
  readonly size: number;
  readonly times: Readonly<Record<(typeof CALLS)[number] | 'floor', number>>;
  readonly units: readonly { readonly readUnits: number; readonly writeUnits: number; readonly trips: number }[];
}
const measure = async (size: number): Promise<Measured> => {
  const times = await withStage(size, false, async (stage) => {
    const runs = { POST: [] as number[], PUT: [] as number[], floor: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      const path = await newList(stage);
      const results = {
        POST: await timed(() => edit(stage, 'POST', path, round)),
        PUT: await timed(() => edit(stage, 'PUT', path, round + 1)),
        floor: await timed(() => floor(stage, round)),
      };
      console.log(`lists: ${size}:`, results);
      if (round > 0) for (const what of ['POST', 'PUT', 'floor'] as const) runs[what].push(results[what]);
    }
    return { POST: median(runs.POST), PUT: median(runs.PUT), floor: median(runs.floor) };
  });
  const units = await withStage(size, true, async (stage) => {
    const path = await newList(stage);
    const taken = [];
    for (const [at, method] of CALLS.entries()) {
      stage.service.proxy.reset();
      await edit(stage, method, path, at);
      taken.push(stage.service.proxy.taken());
    }
    return taken;
  });
  return { size, times, units };
};

const rowsOf = ({ size, times, units }: Measured) => {
  const named = namedOf(size);
  const calls = CALLS.map((method, at) => ({
    Contacts: figure(size),
    Call: `${method} of ${figure(COUNT)}`,
    ms: figure(times[method]),
    'Relative to the floor': `${figure(times[method] / times.floor)}×`,
    WRU: figure(units[at]?.writeUnits ?? Number.NaN),
    RRU: figure(units[at]?.readUnits ?? Number.NaN),
    'Round trips': figure(units[at]?.trips ?? Number.NaN),
  }));
  const floorRow = {
    Contacts: figure(size),
    Call: 'Floor',
    ms: figure(times.floor),
    'Relative to the floor': '1×',
    WRU: figure(named),
    RRU: figure(COUNT),
    'Round trips': figure(COUNT / GETS + named / PUTS),
  };
  return [...calls, floorRow];
};

/** A list's members changed by 50,000 identifiers, beside what a row for each member would cost, as the organization grows. */
export const benchLists = async (): Promise<Section> => {
  const all: Measured[] = [];
  for (const size of SIZES) all.push(await measure(size));
  const verdicts = all.flatMap(({ size, times }) =>
    CALLS.map((method) =>
      verdict(
        `The time of a ${method} of ${figure(COUNT)} identifiers at ${figure(size)} contacts, relative to the raw calls for a row each`,
        times[method] / times.floor,
        '<',
        GOAL,
        '×',
      ),
    ),
  );
  return { title: 'Static lists', verdicts, text: `${HOW}\n\n${columns(all.flatMap(rowsOf))}` };
};
