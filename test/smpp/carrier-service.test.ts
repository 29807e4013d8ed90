import { describe, expect, it, vi } from 'vitest';
import { signCarrierBody } from '../../shared/domain/smpp/carrier.ts';
import { PATIENCE } from '../support/patience.ts';
import { octetsOf, textOf } from '../support/smpp/carrier-octets.ts';
import { callbacks, KEY, useCarrierProcesses } from './carrier-kit.ts';

const { serviceOf, start } = await useCarrierProcesses();

describe('a message', () => {
  it.each([
    ['+5511400009999', { ton: 1, npi: 1, address: '5511400009999' }],
    ['28000', { ton: 3, npi: 0, address: '28000' }],
    ['LOJA 24h', { ton: 5, npi: 0, address: 'LOJA 24h' }],
    [undefined, { ton: 0, npi: 0, address: '' }],
  ])('from the sender %s has its type of number and plan', async (from, source) => {
    const { carrier, service } = await start({ serviceType: 'WAP' });
    expect(await service.send({ from })).toEqual({ kind: 'accepted', id: carrier.accepted[0]?.id });
    expect(carrier.submits[0]).toMatchObject({
      serviceType: 'WAP',
      source,
      destination: { ton: 1, npi: 1, address: '5511987654321' },
    });
  });

  it('says the types and plans that the operator set instead', async () => {
    const { carrier, service } = await start({ source: { ton: 2, npi: 8 }, destination: { ton: 0, npi: 0 } });
    await service.send({ from: '28000' });
    expect(carrier.submits[0]).toMatchObject({ source: { ton: 2, npi: 8 }, destination: { ton: 0, npi: 0 } });
  });

  it('whose sender or text does not fit is certainly not sent', async () => {
    const { carrier, service } = await start();
    expect(await service.send({ from: 'ЖЖ' })).toEqual({ kind: 'unsendable' });
    expect(await service.send({ text: 'ж'.repeat(17_100) })).toEqual({ kind: 'unsendable' });
    expect(carrier.submits).toEqual([]);
  });

  it('that is repeated, also concurrently, is submitted once with the same result', async () => {
    const { carrier, service } = await start();
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.send({ messageId: 'msg_same' })));
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([carrier.accepted[0]?.id]));
    expect(carrier.submits).toHaveLength(1);
  });

  it('that is answered too late is unknown first, and found by a status query', async () => {
    const { carrier, service } = await start();
    // It has its bind by now, too.
    expect(await service.send()).toMatchObject({ kind: 'accepted' });
    carrier.script('accept_and_hang');
    expect(await service.send({ messageId: 'msg_late', waitMs: 100 })).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(await service.call('status', { messageId: 'msg_late' })).toMatchObject({ kind: 'unknown' });
    carrier.answerHeld();
    await vi.waitFor(
      async () =>
        expect(await service.call('status', { messageId: 'msg_late' })).toEqual({
          kind: 'accepted',
          id: carrier.accepted[1]?.id,
        }),
      PATIENCE,
    );
    expect(await service.call('status', { messageId: 'msg_other' })).toMatchObject({ kind: 'unknown' });
  });

  it('in parts is sent over a transmitter, with a receiver bound as well', async () => {
    const { carrier, service } = await start({ bindType: 'transmitter_receiver' });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(2), PATIENCE);
    expect(
      carrier
        .bound()
        .map(({ command }) => command)
        .sort(),
    ).toEqual([1, 2]);
    const long = 'a'.repeat(400);
    expect(await service.send({ text: long })).toMatchObject({ kind: 'accepted', id: carrier.accepted[2]?.id });
    expect(carrier.submits.map(textOf).join('')).toBe(long);
  });
});

describe('a call without a signature', () => {
  it('is refused, and nothing is sent', async () => {
    const { carrier, service } = await start();
    const body = JSON.stringify({ messageId: 'msg_1', to: '+5511987654321', text: 'Oi', waitMs: 100 });
    const proof = signCarrierBody(KEY, 'submit', body, Date.now());
    const statusOf = async (path: string, sent: string, headers: Readonly<Record<string, string>>) =>
      (await service.post(path, sent, headers)).status;
    expect(await statusOf('/carrier/submit', body, {})).toBe(401);
    expect(await statusOf('/carrier/submit', body.replace('Oi', 'Ei'), proof)).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(`${KEY}.`, 'submit', body, Date.now()))).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(KEY, 'status', body, Date.now()))).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(KEY, 'submit', body, Date.now() - 301_000))).toBe(
      401,
    );
    expect(await statusOf('/carrier/other', body, proof)).toBe(404);
    const odd = '{"messageId":"msg_1"}';
    expect(await statusOf('/carrier/submit', odd, signCarrierBody(KEY, 'submit', odd, Date.now()))).toBe(400);
    expect(await statusOf('/carrier/submit', 'a'.repeat(200_000), proof)).toBe(413);
    expect((await fetch(`${service.url}/health`)).status).toBe(204);
    expect(carrier.submits).toEqual([]);
  });

  it('has no processes to call if no carrier is set up', async () => {
    const service = await serviceOf(() => undefined);
    const body = '{}';
    const { status } = await service.post('/carrier/submit', body, signCarrierBody(KEY, 'submit', body, Date.now()));
    expect(status).toBe(503);
  });
});

describe('a delivery from the carrier', () => {
  const RECEIPT = {
    source: '5511987654321',
    destination: '28000',
    esmClass: 4,
    short: Buffer.from('id:7 stat:DELIVRD err:000'),
  };
  const SAID = { kind: 'receipt', id: '7', state: 'DELIVRD', error: '000', phone: '+5511987654321' };
  const MESSAGE = { source: '5511987654321', destination: '28000', ...octetsOf('SIM, é claro') };

  it('is acknowledged only once its callback was accepted', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    const held = Promise.withResolvers<number>();
    where.answerWith(held.promise);
    let answered = false;
    const answer = carrier.deliver(RECEIPT).then((status) => {
      answered = true;
      return status;
    });
    await vi.waitFor(() => expect(where.posts).toHaveLength(1), PATIENCE);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(false);
    held.resolve(200);
    expect(await answer).toBe(0);
    expect(where.posts[0]).toMatchObject({ path: '/receipts', isOurs: true });
    expect(JSON.parse(where.posts[0]?.body ?? '')).toEqual(SAID);
  });

  it('is answered with a temporary error if its callback was not accepted', async () => {
    const where = await callbacks();
    const { carrier, service } = await start({}, { callbackUrl: where.url });
    where.answerWith(503, 403, 200);
    expect([await carrier.deliver(RECEIPT), await carrier.deliver(RECEIPT), await carrier.deliver(RECEIPT)]).toEqual([
      0x64, 0x64, 0,
    ]);
    expect(service.faults).toEqual(['callback: HTTP 503', 'callback: HTTP 403']);
    await where.close();
    expect(await carrier.deliver(RECEIPT)).toBe(0x64);
  });

  it('and cannot be read is passed over, so that what follows is not held up', async () => {
    const where = await callbacks();
    const { carrier, service } = await start({}, { callbackUrl: where.url });
    expect(await carrier.deliver({ ...RECEIPT, short: Buffer.from('delivered!') })).toBe(0);
    expect(await carrier.deliver({ ...MESSAGE, dataCoding: 4 })).toBe(0);
    expect(await carrier.deliver({ ...MESSAGE, source: '' })).toBe(0);
    expect(where.posts).toEqual([]);
    expect(service.faults).toHaveLength(3);
  });

  it("in parts is posted part by part, with the part's own fields, in any format, and a repeat likewise", async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    const phones = { source: '5511987654321', destination: '28000' };
    const sar = [
      [0x020c, Buffer.from([0, 7])],
      [0x020e, Buffer.from([2])],
      [0x020f, Buffer.from([1])],
    ] as const;
    const parts = [
      { ...phones, esmClass: 0x40, dataCoding: 8, short: Buffer.from([5, 0, 3, 7, 2, 2, 0, 0x41]) },
      { ...phones, esmClass: 0x40, short: Buffer.from([6, 8, 4, 1, 0, 3, 1, 0x42]) },
      { ...phones, tlvs: [...sar, [0x0424, Buffer.from('C')] as const] },
    ];
    const all = [...parts, parts[0] ?? {}] as typeof parts;
    where.answerWith(200, 503);
    expect([await carrier.deliver(all[0] as never), await carrier.deliver(all[1] as never)]).toEqual([0, 0x64]);
    for (const part of all.slice(2)) expect(await carrier.deliver(part)).toBe(0);
    expect(where.posts.every(({ path, isOurs }) => path === '/replies' && isOurs)).toBe(true);
    const said = where.posts.map(({ body }) => JSON.parse(body));
    const of = { kind: 'part', from: '+5511987654321', to: '28000' };
    const bytes = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    expect(said).toEqual([
      { ...of, reference: '8-7', total: 2, number: 2, coding: 8, bytes: bytes('0041') },
      { ...of, reference: '16-256', total: 3, number: 1, coding: 0, bytes: bytes('42') },
      { ...of, reference: 'sar-7', total: 2, number: 1, coding: 0, bytes: bytes('43') },
      said[0],
    ]);
  });

  it('from a person has a unique id, shared by a repeat of one that was not acknowledged', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    const idOf = (at: number) => JSON.parse(where.posts[at]?.body ?? '').id;
    where.answerWith(503);
    for (const status of [0x64, 0, 0]) expect(await carrier.deliver(MESSAGE)).toBe(status);
    expect(where.posts[0]).toMatchObject({ path: '/replies', isOurs: true });
    expect(JSON.parse(where.posts[0]?.body ?? '')).toMatchObject({
      from: '+5511987654321',
      to: '28000',
      text: 'SIM, é claro',
    });
    expect(idOf(1)).toBe(idOf(0));
    // The person wrote the same again.
    expect(idOf(2)).not.toBe(idOf(1));
  });

  it('whose acknowledgement was lost with its connection is recognized', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    carrier.drop();
    await vi.waitFor(() => expect([carrier.binds.length, carrier.bound().length]).toEqual([2, 1]), PATIENCE);
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    const [first, repeat, another] = where.posts.map(({ body }) => JSON.parse(body).id);
    expect(repeat).toBe(first);
    expect(another).not.toBe(first);
  });
});
