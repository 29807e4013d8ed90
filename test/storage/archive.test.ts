import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { expiryRecord } from '../../infra/local/row-expiry.ts';
import type { ArchivePorts } from '../../shared/domain/archive/ports.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Key } from '../../shared/storage/client/row.ts';
import { engagedWrite } from '../../shared/storage/messages/engagement.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { accepted } from '../support/accepted.ts';
import { DAY_MS, DAYS, startArchive } from '../support/archive.ts';
import { use } from '../support/use.ts';

const { world, ports, consume, expireRows, archived, onDay, erase } = await use(startArchive());
const stored = (key: Key) => world.table.get(key);
const send = async (fields: Parameters<typeof world.sms>[2] = {}) => {
  const actor = await world.organization();
  const { id } = accepted(await world.sms(actor, undefined, fields));
  return { ...actor, id, message: (await world.ports.messageStore.read(id)) as MessageRecord };
};
const dayOf = (at: number) => isoTime(at).slice(0, 10);

describe('rows older than the setting', () => {
  test('leave the table for the archive, whole, and are found by id and by day', async () => {
    const { id, organizationId } = await send();
    const before = await stored(KEYS.message(id));
    await expireRows();
    expect(await stored(KEYS.message(id))).toBeUndefined();
    expect(await archived(id)).toEqual([{ kind: 'message', id, organizationId, createdAt: world.now, row: before }]);
    expect(messageRows.read((await archived(id))[0]?.row as NonNullable<typeof before>)).toMatchObject({ id });
    expect(await onDay(dayOf(world.now), organizationId)).toEqual([id]);
    expect(await onDay(dayOf(world.now - DAY_MS), organizationId)).toEqual([]);
    expect(await onDay(dayOf(world.now), (await send()).organizationId)).toEqual([]);
  });

  test('stay until they reach that age, and their ledger stays permanently', async () => {
    const { id, organizationId } = await send();
    await expireRows(ports, DAYS - 1);
    expect(await stored(KEYS.message(id))).toBeDefined();
    const ledger = () => readLedger(world.table, organizationId, 50);
    const before = await ledger();
    await expireRows();
    expect(await stored(KEYS.message(id))).toBeUndefined();
    expect(await ledger()).toEqual(before);
  });

  test('leave only once their money is decided', async () => {
    const actor = await world.organization();
    const { promise, resolve } = Promise.withResolvers<Id<'message'>>();
    world.provider.script = [
      ({ messageId }) => {
        resolve(messageId);
        return new Promise(() => {});
      },
    ];
    void world.sms(actor);
    const id = await promise;
    await expireRows(ports, 4000);
    const open = (await world.ports.messageStore.read(id)) as MessageRecord;
    expect(open.hold).toBe('open');
    const at = world.now;
    await world.ports.messageStore.release(open, {
      at,
      lastError: 'refused',
      decisions: [],
      certain: true,
      freeKey: false,
      events: [],
    });
    await expireRows();
    expect(await stored(KEYS.message(id))).toBeUndefined();
  });

  test('take the opens and clicks of their message along', async () => {
    const { id } = await send();
    await world.table.write(engagedWrite(id, 'clicked', world.now));
    await expireRows();
    expect(await stored(KEYS.engagement(id))).toBeUndefined();
    const found = await archived(id);
    expect(found.map(({ kind }) => kind).sort()).toEqual(['engagement', 'message']);
    expect(found.find(({ kind }) => kind === 'engagement')?.row).toMatchObject({ clicked: 1 });
  });
});

describe('a batch of the stream', () => {
  /** The event of one expired message, as the stream has it. */
  const eventOf = async (id: Id<'message'>) => {
    const Key = marshall({ ...KEYS.message(id) });
    const { Item } = await world.dynamodb.send(new GetItemCommand({ TableName: world.table.name, Key }));
    return { Records: [expiryRecord(world.table.name, Item ?? {}, world.now)] };
  };

  test('that is delivered twice leaves one row, also in pieces', async () => {
    const [one, other] = [await send(), await send()];
    const whole = { Records: [...(await eventOf(one.id)).Records, ...(await eventOf(other.id)).Records] };
    const objects = async () => {
      const keys: string[] = [];
      for await (const key of ports.objects.list('archive/')) keys.push(key);
      return keys;
    };
    await consume(ports)(whole);
    const before = await objects();
    await consume(ports)(whole);
    expect(await objects()).toEqual(before);
    for (const record of whole.Records) await consume(ports)({ Records: [record] });
    for (const { id, organizationId } of [one, other]) {
      expect(await onDay(dayOf(world.now), organizationId)).toEqual([id]);
      expect(await archived(id)).toHaveLength(1);
    }
  });

  test.each(['after its object is written', 'before what follows it'])(
    'whose archiver ends %s is completed by its repeat',
    async (when) => {
      const { id, organizationId } = await send();
      await world.table.write(engagedWrite(id, 'opened', world.now));
      const fail = vi.fn().mockRejectedValue(new Error('ended'));
      const ending: ArchivePorts =
        when === 'before what follows it'
          ? { ...ports, followWith: fail }
          : { ...ports, pointers: { ...ports.pointers, put: fail } };
      await expect(expireRows(ending)).rejects.toThrow('ended');
      expect(await stored(KEYS.message(id))).toBeDefined();
      await expireRows();
      expect((await archived(id)).map(({ kind }) => kind).sort()).toEqual(['engagement', 'message']);
      expect(await onDay(dayOf(world.now), organizationId)).toEqual([id, id]);
    },
  );

  test('leaves out what others than DynamoDB deleted, and rows of other kinds', async () => {
    const { id } = await send();
    const {
      Records: [record],
    } = await eventOf(id);
    const { userIdentity: _, ...byOurselves } = record as NonNullable<typeof record>;
    expect(await consume(ports)({ Records: [byOurselves, { ...record, eventName: 'MODIFY' }] })).toBe(0);
    const receipt = { ...record?.dynamodb.OldImage, sk: { S: KEYS.receipt(id, 'a').sk } };
    expect(await consume(ports)({ Records: [expiryRecord('live', receipt, world.now)] })).toBe(0);
  });

  test('fails as a whole for a row that cannot be read, before anything is written', async () => {
    const { id, organizationId } = await send();
    const { Records } = await eventOf(id);
    const broken = { ...Records[0]?.dynamodb.OldImage, createdAt: { S: 'yesterday' } };
    const event = { Records: [...Records, expiryRecord('live', broken, world.now)] };
    await expect(async () => consume(ports)(event)).rejects.toThrow();
    expect(await onDay(dayOf(world.now), organizationId)).toEqual([]);
  });
});

describe('erasure', () => {
  test('makes every row of a person unreadable, and no one else’s, however often it is repeated', async () => {
    const { id, message } = await send();
    const other = await send({ to: '+5511987650000' });
    await expireRows();
    for (let times = 0; times < 2; times++) await erase(message.organizationId, message.recipientHash);
    expect((await archived(id))[0]?.row).toBeUndefined();
    expect((await archived(other.id))[0]?.row).toBeDefined();
  });

  test('reaches rows that leave the table after it, and spares those that are made after it', async () => {
    const { id, message, ...actor } = await send();
    world.now += 1;
    await erase(message.organizationId, message.recipientHash, world.now);
    world.now += 1;
    const later = accepted(await world.sms(actor)).id;
    await expireRows();
    expect(await archived(id)).toEqual([]);
    expect((await archived(later))[0]?.row).toBeDefined();
    await erase(message.organizationId, message.recipientHash, world.now - 1);
    expect((await archived(later))[0]?.row, 'an erasure that is repeated').toBeDefined();
  });

  test('between the two writes of an archiver leaves nothing that opens', async () => {
    const { id, message } = await send();
    const ending: ArchivePorts = {
      ...ports,
      objects: {
        ...ports.objects,
        write: async (key, lines) => {
          await erase(message.organizationId, message.recipientHash);
          await ports.objects.write(key, lines);
        },
      },
    };
    await expireRows(ending);
    expect((await archived(id)).map(({ row }) => row)).toEqual([undefined]);
  });

  test('of an organization reaches all of its rows', async () => {
    const { id, organizationId } = await send();
    await expireRows();
    await erase(organizationId, '');
    expect((await archived(id))[0]?.row).toBeUndefined();
  });

  test('leaves neither address nor text nor blind index in an object to begin with', async () => {
    const { id, message, organizationId } = await send({ body: 'Segredo do cliente' });
    await expireRows();
    const objects = [...new Set((await ports.pointers.find(id)).map(({ object }) => object))];
    const lines = (await ports.objects.read(objects[0] ?? ''))?.filter(
      (line) => line.organizationId === organizationId,
    );
    const text = JSON.stringify(lines);
    for (const secret of ['5511987654321', 'Segredo', message.recipientHash]) expect(text).not.toContain(secret);
  });
});
