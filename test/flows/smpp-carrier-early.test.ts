import { expect, test, vi } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { startCarrier } from '../support/smpp/carrier-simulator.ts';
import { use } from '../support/use.ts';
import { becomes, PATIENCE, setUpProvider, walletOf } from './support.ts';

const PHONE = '+5511987654321';
const messaging = await use(startMessaging({ smppPort: 0, carrierPort: 0 }));
const carrier = await use(startCarrier());
await setUpProvider(messaging, 'sms', 'smpp_carrier', {
  host: '127.0.0.1',
  port: carrier.port,
  systemId: 'carrier-user',
  password: 'secret',
  from: '28000',
  throughput: 1_000,
  serviceKey: 'a key that both sides of a test have',
  serviceUrl: `http://127.0.0.1:${messaging.carrierPort}`,
  timeoutMs: 4_000,
});
await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);

/** The carrier's receipt of its last message, which it delivers before its submit_sm_resp; the status of deliver_sm_resp. */
const receiptOfLast = (stat: string) => {
  const id = carrier.accepted.at(-1)?.id;
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611260000 done date:2611260001 stat:${stat} err:000 text:`;
  return carrier.deliver({ source: PHONE.slice(1), destination: '28000', esmClass: 4, short: Buffer.from(text) });
};
/** A send of a new organization that the carrier has accepted and not answered. */
const unanswered = async () => {
  const { live } = await messaging.tenant({ live: 1_000_000 });
  const before = carrier.accepted.length;
  carrier.script('accept_and_hang');
  const sending = live.send({ to: PHONE });
  await vi.waitFor(() => expect(carrier.accepted).toHaveLength(before + 1), PATIENCE);
  return { live, sending };
};

test('receipts that precede the submit_sm_resp of their message deliver it', async () => {
  const { live, sending } = await unanswered();
  expect(await receiptOfLast('ACCEPTD')).toBe(0);
  expect(await receiptOfLast('DELIVRD')).toBe(0);
  carrier.answerHeld();
  const sent = await sending;
  expect(sent).toMatchObject({ status: 201, body: { provider: 'smpp_carrier', status: 'sent' } });
  await becomes(live, `/v2/sms/messages/${sent.body.id}`, { status: 'delivered' });
  expect(await walletOf(live)).toMatchObject({ heldCoins: 0 });
});

test('a receipt of a message whose submit_sm_resp came too late delivers it once the response is found', async () => {
  const { live, sending } = await unanswered();
  expect(await receiptOfLast('DELIVRD')).toBe(0);
  const sent = await sending;
  expect(sent.status).toBe(502);
  carrier.answerHeld();
  await becomes(live, `/v2/sms/messages/${sent.body.meta.messageId}`, { status: 'delivered' });
  expect(await walletOf(live)).toMatchObject({ heldCoins: 0 });
});
