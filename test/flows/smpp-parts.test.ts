import { describe, expect, test } from 'vitest';
import { type Part, writeUserDataHeader } from '../../shared/smpp/parts.ts';
import type { Body } from '../../shared/smpp/pdus.ts';
import { writeTime } from '../../shared/smpp/time.ts';
import { type Tlv, tlv } from '../../shared/smpp/tlvs.ts';
import { startMessaging } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { smppClients } from './smpp-kit.ts';

const messaging = await use(startMessaging({ smppPort: 0 }));
const { accountOf, boundAs, setUp } = smppClients(messaging);

const TEXTS = [`${'Primeira parte. '.repeat(9)}`, `${'Segunda parte. '.repeat(9)}`, 'Fim.'] as const;
const WHOLE = TEXTS.join('');

type Submission = readonly [fields: Partial<Body<'submit_sm'>>, tlvs?: readonly Tlv[]];
const headed = (part: Part, text: string) => Buffer.concat([writeUserDataHeader(part), Buffer.from(text)]);
const sar = ({ reference, total, number }: Part) => [
  tlv('sar_msg_ref_num', reference),
  tlv('sar_total_segments', total),
  tlv('sar_segment_seqnum', number),
];
/** The ways in which a part is written. */
const WAYS: Readonly<Record<string, (part: Part, text: string) => Submission>> = {
  'a header with an 8-bit reference': (part, text) => [
    { esmClass: 0x40, shortMessage: headed({ ...part, form: 8 }, text) },
  ],
  'a header with a 16-bit reference': (part, text) => [
    { esmClass: 0x40, shortMessage: headed({ ...part, form: 16 }, text) },
  ],
  'SAR parameters': (part, text) => [{ shortMessage: Buffer.from(text) }, sar(part)],
  'a header in message_payload': (part, text) => [
    { esmClass: 0x40, shortMessage: Buffer.alloc(0) },
    [tlv('message_payload', headed({ ...part, form: 16 }, text))],
  ],
  'SAR parameters and message_payload': (part, text) => [
    { shortMessage: Buffer.alloc(0) },
    [...sar(part), tlv('message_payload', Buffer.from(text))],
  ],
};
const partsBy = (way: keyof typeof WAYS, reference = 0x77): readonly Submission[] =>
  TEXTS.map(
    (text, at) => WAYS[way]?.({ form: 16, reference, total: TEXTS.length, number: at + 1 }, text) as Submission,
  );

describe('a message in parts', () => {
  test.each(Object.keys(WAYS))('by %s is one SMS, with the price and the segments of its whole text', async (way) => {
    const { test: client, submit, query } = await setUp();
    const ids: string[] = [];
    for (const part of partsBy(way)) {
      const { status, id } = await submit(...part);
      expect(status).toBe('ESME_ROK');
      ids.push(id);
    }
    expect(new Set(ids).size).toBe(3);
    const { body: list } = await client.get('/v2/sms/messages');
    expect(list.total).toBe(1);
    const { body: alike } = await client.post('/v2/sms/preview', {
      body: WHOLE,
      route: 'premium',
      to: '+5511999990005',
    });
    expect(list.items[0]).toMatchObject({ encoding: 'GSM-7', length: WHOLE.length, segments: alike.segments });
    const { items } = (await client.get('/v2/wallet/entries')).body;
    expect(items.filter(({ kind }: { kind: string }) => kind === 'hold')).toMatchObject([
      { messageId: list.items[0].id, coins: -alike.billing.coins },
    ]);
    for (const id of ids)
      await expect.poll(async () => (await query(id)).body, PATIENCE).toMatchObject({ messageId: id, messageState: 2 });
  });

  test('by data_sm is one SMS as well, and by both', async () => {
    const { test: client, call, submit } = await setUp();
    const [first, second, third] = partsBy('SAR parameters and message_payload');
    const address = { destAddrTon: 1, destAddrNpi: 1, destinationAddr: '5511999990005' };
    await submit(...(first as Submission));
    for (const [, tlvs] of [second, third] as Submission[])
      expect((await call('data_sm', address, tlvs)).status).toBe('ESME_ROK');
    expect((await client.get('/v2/sms/messages')).body.total).toBe(1);
  });

  test('arrives over several binds of its account, in any order, twice', async () => {
    const { test: client, account, submit } = await setUp();
    const submits = [submit, (await boundAs(account)).submit, (await boundAs(account)).submit];
    const all = [...partsBy('SAR parameters'), ...partsBy('SAR parameters')].reverse();
    const answers = await Promise.all(all.map((part, at) => (submits[at % submits.length] ?? submit)(...part)));
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 'ESME_ROK'));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
    expect((await client.get('/v2/sms/messages')).body.total).toBe(1);
  });

  test('is two messages for two accounts', async () => {
    const { test: client, submit } = await setUp();
    const other = await boundAs(await accountOf(client));
    const [first, second, third] = partsBy('SAR parameters') as [Submission, Submission, Submission];
    await submit(...first);
    await other.submit(...second);
    await submit(...third);
    expect((await client.get('/v2/sms/messages')).body.total).toBe(0);
  });

  test('is refused with the status of its own at the part that completes it', async () => {
    const { live } = await messaging.tenant();
    const { submit } = await boundAs(await accountOf(live));
    const statuses: (string | undefined)[] = [];
    for (const part of partsBy('SAR parameters')) statuses.push((await submit(...part)).status);
    expect(statuses).toEqual(['ESME_ROK', 'ESME_ROK', 'insufficient_funds']);
    expect((await live.get('/v2/sms/messages')).body.total).toBe(0);
  });

  test('that a provider refuses is ESME_RSYSERR at that part, and costs nothing', async () => {
    const { test: client, submit } = await setUp();
    const before = (await client.get('/v2/wallet')).body.balanceCoins;
    const to = { destinationAddr: '5511999990114' };
    const statuses: (string | undefined)[] = [];
    for (const [fields, tlvs] of partsBy('SAR parameters'))
      statuses.push((await submit({ ...fields, ...to }, tlvs)).status);
    expect(statuses).toEqual(['ESME_ROK', 'ESME_ROK', 'ESME_RSYSERR']);
    expect((await client.get('/v2/wallet')).body.balanceCoins).toBe(before);
  });

  test('that is scheduled waits as one, and is cancelled by the id of any part', async () => {
    const { test: client, submit, call, query } = await setUp();
    const at = Math.ceil((Date.now() + 3_600_000) / 1_000) * 1_000;
    const ids: string[] = [];
    for (const [fields, tlvs] of partsBy('SAR parameters'))
      ids.push((await submit({ ...fields, scheduleDeliveryTime: writeTime(at) }, tlvs)).id);
    const { items } = (await client.get('/v2/sms/messages')).body;
    expect((await client.get(`/messages/${items[0].id}`)).body).toMatchObject({
      status: 'queued',
      scheduledAt: new Date(at).toISOString(),
    });
    expect((await call('cancel_sm', { messageId: ids[1] })).status).toBe('ESME_ROK');
    for (const id of ids) expect((await query(id)).body).toMatchObject({ messageState: 4 });
    expect((await call('cancel_sm', { messageId: ids[0] })).status).toBe('ESME_RCANCELFAIL');
  });

  test('of which one part is missing expires after a minute, and costs nothing', { timeout: 180_000 }, async () => {
    const { test: client, submit, query } = await setUp();
    const before = (await client.get('/v2/wallet')).body.balanceCoins;
    const [first, second] = partsBy('SAR parameters') as [Submission, Submission];
    const ids = [(await submit(...first)).id, (await submit(...second)).id];
    for (const id of ids) expect((await query(id)).body).toMatchObject({ messageState: 1 });
    for (const id of ids)
      await expect
        .poll(async () => (await query(id)).body, { timeout: 120_000, interval: 1_000 })
        .toMatchObject({ messageState: 3, errorCode: 4 });
    expect((await client.get('/v2/wallet')).body.balanceCoins).toBe(before);
    expect((await client.get('/v2/sms/messages')).body.total).toBe(0);
  });
});
