import { afterEach, expect, test } from 'vitest';
import { type CreateRequest, createMessage } from '../../shared/domain/api/create-message.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import { sendEmail } from '../../shared/domain/api/send-email.ts';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import { sendV1, type V1SendRequest } from '../../shared/domain/api/v1-send.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { cancelAndForcePortsOf, emailPortsOf, plannerOf, submitPortsOf } from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const ADDRESS = 'ana@loja.example';
const LONG = 'a'.repeat(5_000);
const HUGE = 'a'.repeat(6_000_000);
const URL = 'https://cdn.loja.example/pedido.png';

const world = await use(startWorld('live'));
afterEach(world.reset);
const actor = await world.organization(1_000_000);

const named = async (organizationId: Id<'organization'>, name: string) => [
  {
    id: newId('template'),
    organizationId,
    name,
    language: 'pt-BR',
    category: 'utility',
    status: 'approved',
    components: [{ type: 'BODY', payload: { text: 'Oi, {{1}}!' } }],
  },
];
const templates = { named, read: async () => undefined } as object as PlanPorts['templates'];
const ports = { ...submitPortsOf(world), plan: plannerOf(world, { templates }) };

/** The place that a refusal names, and what it says of it. */
const placeOf = (outcome: unknown) => {
  if (!isRefusal(outcome)) throw new Error('it was accepted');
  const [error] = outcome.details.errors ?? [];
  return [outcome.name, error?.path, error?.message];
};
const card = (button: object) => ({ title: 'Oi', description: 'Oi', fileUrl: URL, suggestions: [button] });
const noUrl = { kind: 'openUrl', label: 'Ver', url: 'ftp://loja.example' };

test.each<[string, Partial<CreateRequest> & Pick<CreateRequest, 'channel'>, string, RegExp]>([
  [
    'an SMS that is too long',
    { channel: 'sms', payload: { text: 'a'.repeat(10_001) } },
    'payload.text',
    /at most 10000/,
  ],
  ['a field that no SMS has', { channel: 'sms', payload: { text: 'Oi', cor: 1 } }, 'payload.cor', /not a field of/],
  ['an RCS text that is too long', { channel: 'rcs', payload: { text: LONG } }, 'payload.text', /at most 160/],
  [
    'a card with a bad button',
    { channel: 'rcs', payload: { card: card(noUrl) } },
    'payload.card.suggestions.0.url',
    /http/,
  ],
  [
    'an RCS fallback that is too long',
    { channel: 'rcs', payload: { text: 'Oi', fallback: { text: LONG } } },
    'payload.fallback.text',
    /at most/,
  ],
  [
    'a subject that is too long',
    { channel: 'email', to: ADDRESS, payload: { email: { subject: LONG, text: 'Oi' } } },
    'payload.email.subject',
    /at most/,
  ],
  [
    'a subject of two lines',
    { channel: 'email', to: ADDRESS, payload: { email: { subject: 'a\nb', text: 'Oi' } } },
    'payload.email.subject',
    /./,
  ],
  [
    'an e-mail that is too large',
    { channel: 'email', to: ADDRESS, payload: { email: { subject: 'Oi', html: HUGE, text: HUGE } } },
    'payload.email.html',
    /bytes/,
  ],
  [
    'a field that no e-mail has',
    { channel: 'email', to: ADDRESS, payload: { email: { subject: 'Oi', text: 'Oi', cor: 1 } } },
    'payload.email.cor',
    /not a field of/,
  ],
  [
    'a WhatsApp text that is too long',
    { channel: 'whatsapp', payload: { text: LONG } },
    'payload.text',
    /at most 4096/,
  ],
  [
    'too few variables',
    { channel: 'whatsapp', type: 'template', templateId: 'pedido', templateVars: [] },
    'templateVars',
    /must be 1/,
  ],
  [
    'an Instagram text that is too long',
    { channel: 'instagram', to: '17841400000000001', payload: { text: LONG } },
    'payload.text',
    /bytes/,
  ],
])('POST /messages names the field and its rule: %s', async (_, body, path, rule) => {
  const request = { to: PHONE, type: 'text', ...body } as CreateRequest;
  const refused = placeOf(await createMessage(ports, actor, newId('request'), request));
  expect(refused).toEqual(['VALIDATION_ERROR', path, expect.stringMatching(rule)]);
});

test.each<[string, Partial<V1SendRequest> & Pick<V1SendRequest, 'channel'>, string, RegExp]>([
  ['an RCS text that is too long', { channel: 'rcs', text: LONG }, 'text', /at most 160/],
  ['a WhatsApp text that is too long', { channel: 'whatsapp', text: LONG }, 'text', /at most 4096/],
  [
    'an Instagram text that is too long',
    { channel: 'instagram', to: '17841400000000001', text: LONG },
    'text',
    /bytes/,
  ],
  ['too few variables', { channel: 'whatsapp', template: 'pedido' }, 'variables', /must be 1/],
  ['too many variables', { channel: 'sms', template: 'pedido', variables: { a: 1, b: 2 } }, 'variables', /must be 1/],
  [
    'an e-mail template that nobody keeps',
    { channel: 'email', to: ADDRESS, template: 'ghost' },
    'template',
    /not a template of/,
  ],
])('POST /v1/messages names the field and its rule: %s', async (_, body, path, rule) => {
  const refused = placeOf(await sendV1(ports, actor, newId('request'), { to: PHONE, ...body }));
  expect(refused).toEqual(['VALIDATION_ERROR', path, expect.stringMatching(rule)]);
});

test('the reference operations name the fields of their own bodies', async () => {
  const email = { to: ADDRESS, subject: LONG, text: 'Oi' };
  expect(placeOf(await sendEmail(emailPortsOf(world), actor, 'a', email))[1]).toBe('subject');
  const rcs = { to: PHONE, route: 'easy_rcs', content: { card: card(noUrl) } } as Parameters<typeof sendRcs>[3];
  expect(placeOf(await sendRcs(world.ports, actor, 'b', rcs))[1]).toBe('content.card.suggestions.0.url');
});

test('a resend names the fields of its correction', async () => {
  const body = { channel: 'rcs', to: PHONE, type: 'text', payload: { text: 'Oi' } } as const;
  const { id } = accepted(await createMessage(ports, actor, newId('request'), body));
  const { isUndecided } = cancelAndForcePortsOf(world);
  const resendPorts = {
    ...ports,
    isUndecided,
    readMessage: (organizationId: Id<'organization'>, one: Id<'message'>) =>
      readMessage(world.table, organizationId, one),
  };
  const refused = await resend(resendPorts, actor, id, { payload: { text: LONG } }, undefined);
  expect(placeOf(refused)[1]).toBe('payload.text');
});
