import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { withReportedText } from '../../shared/domain/channels/whatsapp/templates/reported-text.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import type { TemplateComponent, WhatsappTemplate } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { ReportedTemplateText } from '../../shared/domain/message/meta-event.ts';
import { submittedTemplate, tenant, useNumbers } from '../numbers/kit.ts';
import { reportsOn } from '../numbers/reports.ts';

const { world, ports, raised } = await useNumbers('test');
const actor = await tenant(world);

const BODY = { type: 'BODY', payload: { text: 'Oi, {{1}}!', example: { body_text: [['Ana']] } } };
const apply = (report: MetaReport) => applyMetaReport(ports, actor, report);

let made = 0;
/** An approved template, or one with the sandbox's verdict that `name` requests; the reports on it, its row and its sends. */
const submitted = async (name = 'pedido') => {
  const template = await submittedTemplate(ports, actor, { name: `t${++made}_${name}`, components: [BODY] });
  const read = async () => (await ports.templates.read(actor.organizationId, template.id)) as WhatsappTemplate;
  const send = (variables: Readonly<Record<string, string>> = { 1: 'Bia' }) =>
    withSavedTemplate(ports, actor.organizationId, {
      channel: 'whatsapp',
      to: '+5511999990005',
      type: 'template',
      template: template.id,
      variables,
    });
  return { ...reportsOn(template), read, send };
};

describe('a report on the status of a template', () => {
  test.each([
    ['ARCHIVED', 'disabled'],
    ['DISABLED', 'disabled'],
    ['PENDING_DELETION', 'disabled'],
    ['FIRST_PAUSE', 'paused'],
    ['RATE_LIMITING_PAUSE', 'paused'],
  ])('of %s makes its sends 409 until Meta withdraws it', async (event, expected) => {
    const { status, read, send } = await submitted();
    expect(await apply(status(event, 1))).toBe('kept');
    expect((await read()).status).toBe(expected);
    const refused = await send();
    expect(isRefusal(refused) && [refused.name, refused.details.meta?.code]).toEqual([
      'CONFLICT',
      'template_not_approved',
    ]);
    expect(await apply(status(event === 'ARCHIVED' ? 'UNARCHIVED' : 'UNPAUSE', 2))).toBe('kept');
    expect(isRefusal(await send())).toBe(false);
  });

  test('of LOCKED, which forbids editing, changes nothing: the template can still be sent', async () => {
    const { status, read, send } = await submitted();
    expect(await apply(status('LOCKED', 1))).toBe('unmatched');
    expect((await read()).status).toBe('approved');
    expect(isRefusal(await send())).toBe(false);
  });

  test('of UNARCHIVED restores the status from before with its reason, and raises no event', async () => {
    const { status, read } = await submitted('rejected');
    const { status: was, rejectionReason } = await read();
    expect([was, rejectionReason]).toEqual(['rejected', expect.any(String)]);
    const before = raised.length;
    for (const at of [1, 1, 2]) await apply(status('ARCHIVED', at));
    expect((await read()).status).toBe('disabled');
    expect(await apply(status('UNARCHIVED', 3))).toBe('kept');
    expect(await apply(status('ARCHIVED', 2))).toBe('repeated');
    expect(await read()).toMatchObject({ status: 'rejected', rejectionReason });
    expect(await read()).not.toHaveProperty('archivedFrom');
    expect(raised).toHaveLength(before);
  });
});

describe('a report on the text of a template', () => {
  test('replaces the text that sends fill in; the latest wins in any order', async () => {
    const { text, read, send } = await submitted();
    const now = { body: 'Oi, {{1}}! O pedido {{2}} saiu.', footer: 'Loja Azul' };
    expect(await apply(text(now, 2))).toBe('kept');
    expect(await apply(text(now, 2))).toBe('repeated');
    expect(await apply(text({ body: 'Tchau.' }, 1))).toBe('repeated');
    expect(await read()).toMatchObject({
      version: 2,
      components: [
        { type: 'BODY', payload: { text: now.body } },
        { type: 'FOOTER', payload: { text: 'Loja Azul' } },
      ],
    });
    expect(isRefusal(await send())).toBe(true);
    expect(isRefusal(await send({ 1: 'Bia', 2: 'A-7' }))).toBe(false);
  });

  test('with the current text makes no new version', async () => {
    const { text, read } = await submitted();
    await apply(text({ body: BODY.payload.text }, 1));
    expect(await read()).toMatchObject({ version: 1, components: [BODY] });
  });
});

describe('the components after a report on their text', () => {
  const video = { type: 'HEADER', payload: { format: 'VIDEO', example: { header_handle: ['4::aW'] } } };
  const title = { type: 'HEADER', payload: { format: 'TEXT', text: 'Pedido' } };
  const flow = { type: 'FLOW', text: 'Avaliar', flow_id: '1' };
  const link = { type: 'URL', text: 'Ver', url: 'https://a.example/{{1}}', example: ['x'] };
  const buttons = (...all: object[]) => ({ type: 'BUTTONS', payload: { buttons: all } });
  const same = { body: BODY.payload.text };

  test.each<[string, readonly TemplateComponent[], ReportedTemplateText, readonly TemplateComponent[]]>([
    ['keep media and buttons of other types', [video, BODY, buttons(flow)], same, [video, BODY, buttons(flow)]],
    [
      'lose a title, a footer and links that the report omits',
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
  ])('%s', (_, before, reported, after) => {
    expect(withReportedText(before, reported)).toEqual(after);
  });

  test('of a one-time code are not stored: Meta writes its text', () => {
    const code = [{ type: 'BODY', payload: {} }, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })];
    expect(withReportedText(code, { body: '*{{1}}* is your verification code.' })).toEqual(code);
  });
});
