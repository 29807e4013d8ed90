import { describe, expect, test } from 'vitest';
import { assign as assignSender } from '../../infra/operator/commands/senders.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { SenderChannel } from '../../shared/domain/senders/sender.ts';
import { type Client, startMessaging } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { startAmazonSesStandIn } from '../support/providers/amazon-ses-stand-in.ts';
import { startTwilioStandIn } from '../support/providers/twilio-stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, keyed, setUpProvider } from './support.ts';

const messaging = await use(startMessaging());
const ses = await use(startAmazonSesStandIn());
const twilio = await use(startTwilioStandIn());
await setUpProvider(messaging, 'email', 'amazon_ses', ses.settings);
await setUpProvider(messaging, 'sms', 'twilio', twilio.settings);

let count = 0;
const newDomain = () => `nome-${++count}.example`;
const tenantOf = () => messaging.tenant({ live: 1_000_000 });
const assign = (organization: Id<'organization'>, channel: SenderChannel, value: string) =>
  assignSender(messaging.tables, { organization, env: 'live', channel, value });
const eMail = (client: Client, from: string) =>
  client.post('/v2/email/messages', { to: 'ana@cliente.example', from, subject: 'Oi', text: 'Oi' }, keyed());
const sms = (client: Client, senderId: string) =>
  client.post('/v2/sms/messages', { to: '+5511999990005', body: 'Oi', route: 'premium', senderId }, keyed());
const REFUSED = { meta: { motivo: 'no_verified_sender' } };

describe('a display name', () => {
  test("with another's address is 422, in any disguise; with an own one, or without any, it is sent", async () => {
    const { live, id } = await tenantOf();
    const domain = newDomain();
    await assign(id, 'email', domain);
    for (const name of [
      'seguranca@banco.example',
      '"Banco (seguranca@banco.example)"',
      'seguranca\uff20banco.example',
      'seguranca\u200b@banco.example',
      'seguran\u00adca@ban\u2060co.example',
      'seguranca@banco\u3002example',
      's\u0435guranca@banco.example',
      'seguranca@b\u0430nco\u200d.example',
      `ola@x${domain}`,
    ])
      expectProblem(await eMail(live, `${name} <ola@${domain}>`), 422, { errors: ['from'] });
    for (const name of ['Banco', `ola@${domain}`, `vendas@news.${domain}`, 'Loja @centro'])
      expect((await eMail(live, `${name} <ola@${domain}>`)).status).toBe(201);
  });

  test('with another’s address is 422 in the sandbox, where using an address would verify it', async () => {
    const { test: sandbox } = await tenantOf();
    const from = `seguranca@banco.example <ola@${newDomain()}>`;
    expectProblem(await eMail(sandbox, from), 422, { errors: ['from'] });
  });
});

test('a name of SMS is the same whatever its case and its spaces, and shown with single ones', async () => {
  const [owner, other] = [await tenantOf(), await tenantOf()];
  await assign(owner.id, 'sms', 'Casa  Azul');
  const { body, status } = await sms(owner.live, ' CASA  AZUL');
  expect(status).toBe(201);
  expect((await acceptedBy(twilio, { body } as never)).from).toBe('CASA AZUL');
  expectProblem(await sms(other.live, 'casa azul'), 412, REFUSED);
  await expect(assign(other.id, 'sms', 'CASA   azul')).rejects.toThrow('Another organization has it');
});
