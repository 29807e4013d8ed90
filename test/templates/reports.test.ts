import { beforeAll, describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { withReportedText } from '../../shared/domain/channels/whatsapp/templates/reported-text.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import type { TemplateComponent, WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import { createTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { ReportedTemplateText } from '../../shared/domain/message/meta-event.ts';
import { allowed, aNumber, portsOf, tenant } from '../numbers/kit.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

let kit: ReturnType<typeof portsOf>;
let actor: Actor;
const world = await use(startWorld('test'));
beforeAll(async () => {
  kit = portsOf(world);
  actor = await tenant(world);
});

const AT = Date.parse('2026-03-10T11:00:00Z');
const BODY = { type: 'BODY', payload: { text: 'Oi, {{1}}!', example: { body_text: [['Ana']] } } };
const apply = (event: MetaReport) => applyMetaReport(kit.ports, actor, event);

let made = 0;
/** A template that was approved, or of which `name` tells the sandbox another verdict, and what is said of it. */
const aTemplate = async (name = 'pedido') => {
  const { id: numberId } = await aNumber(kit.ports, actor);
  const named = `t${++made}_${name}`;
  const words = { numberId, name: named, language: 'pt-BR', category: 'utility', components: [BODY] } as const;
  const { id, wabaId } = allowed(await createTemplate(kit.ports, actor, words));
  const { platformTemplateId = '' } = allowed(await submitTemplate(kit.ports, actor, id));
  const about = { kind: 'platform', wabaId, platformTemplateId, name: named, language: 'pt-BR' } as const;
  const status = (event: string, seconds: number): MetaReport => ({
    ...about,
    about: 'template',
    at: AT + seconds * 1000,
    event,
  });
  const said = (fields: ReportedTemplateText, seconds: number): MetaReport => ({
    ...about,
    about: 'template_components',
    at: AT + seconds * 1000,
    ...fields,
  });
  const read = async () => (await kit.ports.templates.read(actor.organizationId, id)) as WhatsappTemplate;
  const sent = (variables: Readonly<Record<string, string>> = { 1: 'Bia' }) =>
    withSavedTemplate(kit.ports, actor.organizationId, {
      channel: 'whatsapp',
      to: '+5511999990005',
      type: 'template',
      template: id,
      variables,
    });
  return { status, said, read, sent };
};

describe('a report on the status of a template', () => {
  test.each([
    ['ARCHIVED', 'disabled'],
    ['DISABLED', 'disabled'],
    ['PENDING_DELETION', 'disabled'],
    ['FIRST_PAUSE', 'paused'],
    ['RATE_LIMITING_PAUSE', 'paused'],
  ])('that says %s makes its sends 409 until the platform takes it back', async (word, expected) => {
    const { status, read, sent } = await aTemplate();
    expect(await apply(status(word, 1))).toBe('kept');
    expect((await read()).status).toBe(expected);
    const refused = await sent();
    expect(isRefusal(refused) && [refused.name, refused.details.meta?.code]).toEqual([
      'CONFLICT',
      'template_not_approved',
    ]);
    expect(await apply(status(word === 'ARCHIVED' ? 'UNARCHIVED' : 'UNPAUSE', 2))).toBe('kept');
    expect(isRefusal(await sent())).toBe(false);
  });

  test('that it is locked against editing leaves it as it is: it can still be sent', async () => {
    const { status, read, sent } = await aTemplate();
    expect(await apply(status('LOCKED', 1))).toBe('unmatched');
    expect((await read()).status).toBe('approved');
    expect(isRefusal(await sent())).toBe(false);
  });

  test('that it is out of the archive makes it what it was before, its reason with it, and is no verdict', async () => {
    const { status, read } = await aTemplate('rejected');
    const { status: was, rejectionReason } = await read();
    expect([was, rejectionReason]).toEqual(['rejected', expect.any(String)]);
    const before = kit.raised.length;
    for (const at of [1, 1, 2]) await apply(status('ARCHIVED', at));
    expect((await read()).status).toBe('disabled');
    expect(await apply(status('UNARCHIVED', 3))).toBe('kept');
    expect(await apply(status('ARCHIVED', 2))).toBe('repeated');
    expect(await read()).toMatchObject({ status: 'rejected', rejectionReason });
    expect(await read()).not.toHaveProperty('archivedFrom');
    expect(kit.raised).toHaveLength(before);
  });
});

describe('a report on the words of a template', () => {
  test('is what its sends are filled by from then on, the latest whatever the order', async () => {
    const { said, read, sent } = await aTemplate();
    const now = { body: 'Oi, {{1}}! O pedido {{2}} saiu.', footer: 'Loja Azul' };
    expect(await apply(said(now, 2))).toBe('kept');
    expect(await apply(said(now, 2))).toBe('repeated');
    expect(await apply(said({ body: 'Tchau.' }, 1))).toBe('repeated');
    expect(await read()).toMatchObject({
      version: 2,
      components: [
        { type: 'BODY', payload: { text: now.body } },
        { type: 'FOOTER', payload: { text: 'Loja Azul' } },
      ],
    });
    expect(isRefusal(await sent())).toBe(true);
    expect(isRefusal(await sent({ 1: 'Bia', 2: 'A-7' }))).toBe(false);
  });

  test('that says what it says already is no new version', async () => {
    const { said, read } = await aTemplate();
    await apply(said({ body: BODY.payload.text }, 1));
    expect(await read()).toMatchObject({ version: 1, components: [BODY] });
  });
});

describe('the components after a report of their words', () => {
  const video = { type: 'HEADER', payload: { format: 'VIDEO', example: { header_handle: ['4::aW'] } } };
  const title = { type: 'HEADER', payload: { format: 'TEXT', text: 'Pedido' } };
  const flow = { type: 'FLOW', text: 'Avaliar', flow_id: '1' };
  const link = { type: 'URL', text: 'Ver', url: 'https://a.example/{{1}}', example: ['x'] };
  const buttons = (...all: object[]) => ({ type: 'BUTTONS', payload: { buttons: all } });
  const same = { body: BODY.payload.text };

  test.each<[string, readonly TemplateComponent[], ReportedTemplateText, readonly TemplateComponent[]]>([
    ['keep media and what buttons do besides', [video, BODY, buttons(flow)], same, [video, BODY, buttons(flow)]],
    [
      'lose a title, a footer and links that are no more',
      [title, BODY, buttons(flow, link)],
      same,
      [BODY, buttons(flow)],
    ],
    ['lose their buttons with the last', [BODY, buttons(link)], same, [BODY]],
    ['gain a title before the rest', [BODY], { ...same, header: 'Pedido' }, [title, BODY]],
    [
      'have the buttons of the report, in its order',
      [BODY, buttons(link)],
      {
        ...same,
        buttons: [
          { type: 'URL', text: 'Abrir', url: 'https://a.example/{{1}}' },
          { type: 'PHONE_NUMBER', text: 'Ligar', phoneNumber: '+15550783881' },
        ],
      },
      [
        BODY,
        buttons({ ...link, text: 'Abrir' }, { type: 'PHONE_NUMBER', text: 'Ligar', phone_number: '+15550783881' }),
      ],
    ],
  ])('%s', (_, before, words, after) => {
    expect(withReportedText(before, words)).toEqual(after);
  });

  test('of a one-time code stay unwritten: its words are the platform’s', () => {
    const code = [{ type: 'BODY', payload: {} }, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })];
    expect(withReportedText(code, { body: '*{{1}}* is your verification code.' })).toEqual(code);
  });
});
