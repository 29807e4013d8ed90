import { afterEach, describe, expect, test } from 'vitest';
import { createMessage } from '../../shared/domain/api/create-message.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import { previewV1, sendV1 } from '../../shared/domain/api/v1-send.ts';
import { sendBulk } from '../../shared/domain/bulk/send.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import type { WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { useBulk } from '../support/bulk-world.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  plannerOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

const DENIED = '+5511955554444';
const FREE = '+5511987654321';
const CATEGORIES = ['authentication', 'utility', 'marketing'] as const;
type Category = (typeof CATEGORIES)[number];

const { world, bulk } = await useBulk();
afterEach(world.reset);

const named = async (organizationId: Id<'organization'>, name: string): Promise<WhatsappTemplate[]> => [
  {
    id: newId('template'),
    organizationId,
    numberId: newId('number'),
    wabaId: '1',
    name,
    language: 'pt-BR',
    category: name as Category,
    status: 'approved',
    components: [{ type: 'BODY', payload: { text: 'Oi' } }],
    version: 1,
    revision: 1,
    createdAt: 0,
    updatedAt: 0,
  },
];
const saved = { templates: { named, read: async () => undefined }, numbers: { read: async () => undefined } };
const plan = plannerOf(world, saved as object as Pick<PlanPorts, 'templates' | 'numbers'>);
const ports = { ...submitPortsOf(world), plan };
const resendPorts = {
  ...ports,
  readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(world.table, organizationId, id),
  isUndecided: cancelAndForcePortsOf(world).isUndecided,
};

const actor = await world.organization(1_000_000);
const hash = await world.ports.recipientHashOf(actor.organizationId, 'phone', DENIED);
await world.table.write({ put: { ...KEYS.phone(actor.organizationId, hash), optInStatus: 'denied' } });

/** A text, or a template of a category. */
const KINDS = [...CATEGORIES, 'text'] as const;
type Kind = (typeof KINDS)[number];
const v1Body = (kind: Kind, to = DENIED) =>
  ({ channel: 'whatsapp', to, ...(kind === 'text' ? { text: 'Oi' } : { template: kind }) }) as const;
const created = (kind: Kind, to: string) => {
  const template = { type: 'template', payload: { template: { name: kind, language: 'pt-BR' } } } as const;
  const content = kind === 'text' ? ({ type: 'text', payload: { text: 'Oi' } } as const) : template;
  return createMessage(ports, actor, newId('request'), { channel: 'whatsapp', to, ...content });
};
/** `sent`, or the refusal's reason. */
const said = (outcome: unknown) => (isRefusal(outcome) ? outcome.details.meta?.motivo : 'sent');
const fallbackIs = async (step: 'whatsapp', kind: Kind) => {
  const body = { ...v1Body(kind), channel: step };
  const first = { channel: 'sms', to: FREE, text: 'Oi', fallback: [body], fallback_after: 60_000 } as const;
  const answer = accepted(await sendV1(ports, actor, newId('request'), first));
  await sendQueued(sendQueuedPortsOf(world), answer.id);
  await deliverReport(world, reportOf(answer.id, 'failed'));
  await advanceFallback(advanceFallbackPortsOf(world, plan), answer.id);
  const decisions = (await world.ports.messageStore.read(answer.id))?.decisions ?? [];
  const last = decisions.findLast(({ kind: each }) => each === 'fallback')?.detail ?? '';
  const reported = answer.fallback?.[0];
  return [
    reported && 'refusal' in reported ? reported.refusal?.reason : 'sent',
    last.includes('opted out') ? 'opt_out' : 'sent',
  ];
};

describe.each(KINDS)('a WhatsApp message to who opted out: %s', (kind) => {
  const expected = kind === 'utility' || kind === 'authentication' ? 'sent' : 'opt_out';
  const verb = expected === 'sent' ? 'leaves' : 'is refused';

  test(`${verb} by /v1/messages, and its preview says so`, async () => {
    expect(said(await sendV1(ports, actor, newId('request'), v1Body(kind)))).toBe(expected);
    const previewContext = async (_: unknown, plans: readonly Parameters<typeof ports.consentFault>[1][]) => ({
      balance: 1_000_000,
      byPlan: new Map(
        await Promise.all(
          plans.map(async (each) => [each, { consent: await ports.consentFault(actor, each) }] as const),
        ),
      ),
    });
    const shown = accepted(await previewV1({ ...ports, previewContext }, actor, v1Body(kind)));
    expect(shown.hops[0]?.refusal?.reason ?? 'sent').toBe(expected);
  });

  test(`${verb} by POST /messages`, async () => {
    expect(said(await created(kind, DENIED))).toBe(expected);
  });

  test(`${verb} in a bulk send, permissive and strict`, async () => {
    const messages = [{ valid: v1Body(kind) }];
    for (const mode of ['permissive', 'strict'] as const) {
      const answer = await sendBulk({ ...bulk.ports, plan }, actor, { messages, mode });
      const errors = isRefusal(answer) ? answer.details.errors : answer.errors;
      expect(errors?.length ?? 0).toBe(expected === 'sent' ? 0 : 1);
      if (expected !== 'sent') expect(JSON.stringify(errors)).toContain('opted out');
    }
  });

  test(`${verb} by a resend that corrects the recipient`, async () => {
    const { id } = accepted(await created(kind, FREE));
    expect(said(await resend(resendPorts, actor, id, { to: DENIED }, undefined))).toBe(expected);
  });

  test(`${verb} as a fallback, and the answer says so`, async () => {
    expect(await fallbackIs('whatsapp', kind)).toEqual([expected, expected]);
  });
});

test('a resend that puts a marketing template in place of a utility one is refused as marketing', async () => {
  const { id } = accepted(await created('utility', DENIED));
  const payload = { template: { name: 'marketing', language: 'pt-BR' } };
  expect(said(await resend(resendPorts, actor, id, { payload }, undefined))).toBe('opt_out');
});

test.each([
  ['media', { media: { kind: 'image', id: '1166846181421424' } }],
  [
    'interactive',
    {
      interactive: {
        type: 'button',
        body: { text: 'Oi' },
        action: { buttons: [{ type: 'reply', reply: { id: '1', title: 'Sim' } }] },
      },
    },
  ],
] as const)('a WhatsApp message of type %s to who opted out is refused', async (type, payload) => {
  const body = { channel: 'whatsapp', to: DENIED, type, payload } as const;
  expect(said(await createMessage(ports, actor, newId('request'), body))).toBe('opt_out');
});
