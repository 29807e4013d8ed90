import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { PARTS_WAIT_MS, parsePartId } from '../../shared/domain/smpp/assembly.ts';
import { writeUserDataHeader } from '../../shared/smpp/parts.ts';
import { tlvValue } from '../../shared/smpp/tlvs.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { SMPP_SHARDS } from '../../shared/storage/table-indexes.ts';
import { startMessaging } from '../support/api.ts';
import { type InfobipStandIn, startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { bindSmpp, type SmppClient, type SmppClientOptions } from '../support/smpp-client.ts';
import { use } from '../support/use.ts';
import { setUpProvider } from './support.ts';

const messaging = await use(startMessaging({ smppPort: 0 }));
const clients: SmppClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map(({ session }) => session.unbind()));
});
const WAIT = { timeout: 45_000, interval: 100 };

const setUp = async (fields: Readonly<Record<string, unknown>> = {}) => {
  const { test: client, id: organizationId } = await messaging.tenant();
  const account = (await client.post('/v2/smpp/accounts', { name: 'Gateway', route: 'premium', ...fields })).body;
  const bind = async (options: SmppClientOptions = {}) => {
    const bound = await bindSmpp(messaging.smppPort ?? 0, account, options);
    clients.push(bound);
    return bound;
  };
  /** The notices of the account that wait. */
  const waiting = async () => {
    const rows = await Promise.all(
      Array.from({ length: SMPP_SHARDS }, (_, shard) =>
        messaging.tables.test.queryAll({ partition: KEYS.smppShardLease(account.id, shard).pk, consistent: true }),
      ),
    );
    return rows.flat().filter(({ sk }) => sk !== 'TURN');
  };
  return { client, organizationId, account, bind, waiting };
};
const statusOf = async (id: string): Promise<MessageRecord['status']> =>
  (await messaging.tables.test.get(KEYS.message(parseId('message', id))))?.status as MessageRecord['status'];

/** Lets the minute of parts be over. */
const expireNow = async (partId: string): Promise<void> => {
  const parts = parsePartId(partId);
  if (!parts) throw new Error(`${partId} is no part's id.`);
  const now = Date.now();
  const set = { dueAt: now, startedAt: isoTime(now - PARTS_WAIT_MS - 1_000) };
  await messaging.tables.test.write({ update: KEYS.smppParts(parts.id), set });
};

describe('a report', () => {
  test('is delivered to a transceiver under the id of its submit_sm_resp, and removed once acknowledged', async () => {
    const { bind, waiting } = await setUp();
    const bound = await bind();
    const id = await bound.submit({ registeredDelivery: 1, sourceAddrTon: 5, sourceAddr: 'LOJA' });
    await expect.poll(() => bound.states(), WAIT).toEqual({ [id]: ['DELIVRD'] });
    const { pdu, text } = bound.delivered[0] as SmppClient['delivered'][0];
    expect(pdu.body).toMatchObject({ sourceAddr: '5511999990005', destinationAddr: 'LOJA', esmClass: 4 });
    expect(text).toMatch(
      /^id:msg_\w+ sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Oi$/,
    );
    expect([tlvValue(pdu.tlvs, 'receipted_message_id'), tlvValue(pdu.tlvs, 'message_state')]).toEqual([id, 2]);
    await expect.poll(waiting, WAIT).toEqual([]);
  });

  test.each([
    ['0005', 'DELIVRD', '000'],
    ['0006', 'UNDELIV', '002'],
    ['0008', 'UNDELIV', '001'],
    ['0013', 'EXPIRED', '004'],
    ['0018', 'REJECTD', '003'],
  ])('of a message to …%s reports %s, error %s', async (ending, state, error) => {
    const { bind } = await setUp();
    const bound = await bind();
    const id = await bound.submit({ registeredDelivery: 1, destinationAddr: `551199999${ending}` });
    await expect.poll(() => bound.delivered.map(({ receipt }) => receipt), WAIT).toMatchObject([{ id, state, error }]);
  });

  test('is delivered as requested: for failures, successes, or the intermediate state', async () => {
    const { bind } = await setUp({ dlrFormat: 'seconds' });
    const bound = await bind();
    const [arrives, fails] = ['5511999990005', '5511999990006'];
    const submit = (registeredDelivery: number, destinationAddr: string) =>
      bound.submit({ registeredDelivery, destinationAddr });
    const ids = {
      never: await submit(0, arrives as string),
      failureOfSuccess: await submit(2, arrives as string),
      failure: await submit(2, fails as string),
      success: await submit(3, arrives as string),
      successOfFailure: await submit(3, fails as string),
      left: await submit(0x10, arrives as string),
      both: await submit(0x11, arrives as string),
    };
    const last = await submit(1, arrives as string);
    await expect
      .poll(() => bound.states(), WAIT)
      .toEqual({
        [ids.failure]: ['UNDELIV'],
        [ids.success]: ['DELIVRD'],
        [ids.left]: ['ENROUTE'],
        [ids.both]: ['ENROUTE', 'DELIVRD'],
        [last]: ['DELIVRD'],
      });
    expect(bound.delivered.at(-1)?.text).toMatch(/submit date:\d{12} done date:\d{12} /);
  });

  test('waits for a receiving bind: a transmitter gets nothing, and a receiver gets everything immediately', async () => {
    const { bind, waiting } = await setUp();
    const transmitter = await bind({ command: 'bind_transmitter' });
    const ids: string[] = [];
    for (let sent = 0; sent < 12; sent++) ids.push(await transmitter.submit({ registeredDelivery: 1 }));
    await expect.poll(async () => (await waiting()).length, WAIT).toBe(12);
    expect(transmitter.delivered).toEqual([]);
    const receiver = await bind({ command: 'bind_receiver' });
    await expect.poll(() => Object.keys(receiver.states()).toSorted(), WAIT).toEqual(ids.toSorted());
    await expect.poll(waiting, WAIT).toEqual([]);
    expect(receiver.delivered).toHaveLength(12);
  });

  test('that is temporarily refused is repeated, one that is permanently refused is not', async () => {
    const { bind, waiting } = await setUp();
    const tries = new Map<string, number>();
    const bound = await bind({
      answer: ({ receipt }) => {
        const id = receipt?.id ?? '';
        tries.set(id, (tries.get(id) ?? 0) + 1);
        if (receipt?.state === 'UNDELIV') return 'ESME_RX_P_APPN';
        return tries.get(id) === 1 ? 'ESME_RX_T_APPN' : 'ESME_ROK';
      },
    });
    const again = await bound.submit({ registeredDelivery: 1 });
    const never = await bound.submit({ registeredDelivery: 1, destinationAddr: '5511999990006' });
    await expect.poll(() => bound.states(), WAIT).toEqual({ [again]: ['DELIVRD', 'DELIVRD'], [never]: ['UNDELIV'] });
    await expect.poll(waiting, WAIT).toEqual([]);
  });

  test('of a message in parts is delivered under the id of each part that requested it; incomplete parts get EXPIRED', async () => {
    const { bind, waiting } = await setUp();
    const bound = await bind();
    const submit = (reference: number, number: number, registeredDelivery: number, to = '5511999990005') => {
      const header = writeUserDataHeader({ form: 8, reference, total: 3, number });
      const shortMessage = Buffer.concat([header, Buffer.from(`Parte ${number}. `)]);
      const from = { sourceAddrTon: 5, sourceAddr: 'LOJA', destinationAddr: to };
      return bound.submit({ esmClass: 0x40, shortMessage, registeredDelivery, ...from });
    };
    const [first, , third] = [await submit(1, 1, 1), await submit(1, 2, 0), await submit(1, 3, 0x11)];
    await expect.poll(() => bound.states(), WAIT).toEqual({ [first]: ['DELIVRD'], [third]: ['ENROUTE', 'DELIVRD'] });
    expect(bound.delivered[0]?.text).toMatch(/text:Parte 1\. Parte 2\. Pa$/);
    // A part that is refused is no part: the others wait for it as before.
    const refused = '5511999990114';
    for (const number of [1, 2]) await submit(3, number, 1, refused);
    await expect(submit(3, 3, 1, refused)).rejects.toThrow('ESME_RSYSERR');
    expect(await waiting()).toEqual([]);
    const [one, other] = [await submit(2, 1, 1), await submit(2, 3, 2)];
    await expireNow(one);
    await expect.poll(() => bound.states(), WAIT).toMatchObject({ [one]: ['EXPIRED'], [other]: ['EXPIRED'] });
    expect(bound.delivered.at(-1)?.pdu.body).toMatchObject({ sourceAddr: '5511999990005', destinationAddr: 'LOJA' });
    const cancelled = await submit(4, 2, 1);
    await bound.session.request('cancel_sm', { messageId: cancelled });
    await expect.poll(() => bound.states(), WAIT).toMatchObject({ [cancelled]: ['DELETED'] });
  });

  test('reports a scheduled message that is cancelled: DELETED', async () => {
    const { bind } = await setUp();
    const bound = await bind();
    const id = await bound.submit({ registeredDelivery: 1, scheduleDeliveryTime: '000000010000000R' });
    await bound.session.request('cancel_sm', { messageId: id });
    await expect.poll(() => bound.states(), WAIT).toEqual({ [id]: ['DELETED'] });
  });

  test('reports and answers a scheduled message that is resent over HTTP as DELETED, and reports nothing about its replacement', async () => {
    const { bind, client } = await setUp();
    const bound = await bind();
    const id = await bound.submit({ registeredDelivery: 0x11, scheduleDeliveryTime: '000000010000000R' });
    const state = async () => {
      const reply = await bound.session.request('query_sm', { messageId: id });
      return reply.kind === 'response' ? reply.pdu.body : reply.kind;
    };
    expect(await state()).toMatchObject({ messageState: 1, finalDate: '' });
    const resent = await client.post(`/messages/${id}/resend`, {});
    expect(resent.status).toBe(201);
    expect(await state()).toMatchObject({
      messageState: 4,
      errorCode: 0,
      finalDate: expect.stringMatching(/^\d{15}\+$/),
    });
    await expect.poll(() => statusOf(resent.body.id), WAIT).toBe('delivered');
    const last = await bound.submit({ registeredDelivery: 1 });
    await expect.poll(() => bound.states(), WAIT).toEqual({ [id]: ['DELETED'], [last]: ['DELIVRD'] });
  });

  test('is not written for a message that was refused while its account waited', async () => {
    const { bind, waiting, client } = await setUp();
    const bound = await bind();
    const refused = bound.submit({ registeredDelivery: 1, destinationAddr: '5511999990114' });
    await expect(refused).rejects.toThrow('ESME_RSYSERR');
    const [message] = (await client.get('/messages')).body.items;
    expect(message.status).toBe('failed');
    expect(await waiting()).toEqual([]);
  });

  test('does not exist for messages sent over HTTP', async () => {
    const { bind, client, waiting } = await setUp();
    const bound = await bind();
    const { body } = await client.send();
    await expect.poll(() => statusOf(body.id), WAIT).toBe('delivered');
    expect(await waiting()).toEqual([]);
    expect(bound.delivered).toEqual([]);
  });

  test('is not delivered to another account, even of the same organization', async () => {
    const { client, bind } = await setUp();
    const bound = await bind();
    const other = (await client.post('/v2/smpp/accounts', { name: 'Other', route: 'premium' })).body;
    const stranger = await bindSmpp(messaging.smppPort ?? 0, other);
    clients.push(stranger);
    const id = await bound.submit({ registeredDelivery: 1 });
    await expect.poll(() => bound.states(), WAIT).toEqual({ [id]: ['DELIVRD'] });
    expect(stranger.delivered).toEqual([]);
  });

  test('goes to any of the binds of the account, and once', async () => {
    const { bind } = await setUp();
    const binds = await Promise.all(Array.from({ length: 3 }, () => bind()));
    const [first] = binds;
    const ids: string[] = [];
    for (let sent = 0; sent < 30; sent++) ids.push((await first?.submit({ registeredDelivery: 1 })) ?? '');
    const all = () => binds.flatMap(({ delivered }) => delivered.map(({ receipt }) => receipt?.id));
    await expect.poll(() => all().toSorted(), WAIT).toEqual(ids.toSorted());
    expect(binds.filter(({ delivered }) => delivered.length > 0).length).toBeGreaterThan(1);
  });
});

describe('a reply', () => {
  const COINS = 1_000_000;
  let provider: InfobipStandIn;
  beforeAll(async () => {
    provider = await startInfobipStandIn();
    await setUpProvider(messaging, 'sms', 'infobip', provider.settings);
  });
  afterAll(() => provider.close());
  const setUpLive = async () => {
    const { live: client } = await messaging.tenant({ live: COINS });
    const account = (await client.post('/v2/smpp/accounts', { name: 'Gateway', route: 'premium' })).body;
    const bind = async (options: SmppClientOptions = {}) => {
      const bound = await bindSmpp(messaging.smppPort ?? 0, account, options);
      clients.push(bound);
      return bound;
    };
    return { client, account, bind };
  };
  const taken = (to: string) => {
    const message = provider.messages.find((one) => one.to === `+${to}`);
    if (!message) throw new Error('The provider took nothing.');
    return message;
  };

  test("is delivered once to the account of the answered message, whether or not it requested reports, after that message's reports", async () => {
    const { client, bind } = await setUpLive();
    const transmitter = await bind({ command: 'bind_transmitter' });
    const to = '5511987650001';
    const id = await transmitter.submit({ registeredDelivery: 1, destinationAddr: to });
    const answer = provider.reply(taken(to), 'Sim, às 10');
    for (let repeat = 0; repeat < 2; repeat++) expect((await deliver(answer)).status).toBeLessThan(300);
    await deliver(provider.receipt(taken(to), 'delivered'));
    await expect.poll(async () => (await client.get(`/v2/sms/messages/${id}`)).body.status, WAIT).toBe('delivered');
    const receiver = await bind({ command: 'bind_receiver' });
    await expect.poll(() => receiver.states(), WAIT).toEqual({ [id]: ['DELIVRD'], '': ['Sim, às 10'] });
    expect(receiver.delivered.map(({ pdu }) => pdu.body.esmClass)).toEqual([4, 0]);
    expect(receiver.delivered[1]?.pdu.body).toMatchObject({ sourceAddrTon: 1, sourceAddr: to });
    expect((await client.get('/v2/sms/replies')).body.total).toBe(1);
  });

  test('that is long is delivered whole, in message_payload; one to a message sent over HTTP goes to no account', async () => {
    const { client, bind } = await setUpLive();
    const bound = await bind();
    const [requested, other] = ['5511987650002', '5511987650003'];
    await bound.submit({ destinationAddr: requested });
    expect((await client.send({ to: `+${other}` })).status).toBe(201);
    const long = 'Não 🙂 '.repeat(60);
    await deliver(provider.reply(taken(other), 'Outro'));
    await deliver(provider.reply(taken(requested), long));
    await expect.poll(() => bound.delivered.map(({ text }) => text), WAIT).toEqual([long]);
    expect(bound.delivered[0]?.pdu.body).toMatchObject({ dataCoding: 8, sourceAddr: requested });
  });
});
