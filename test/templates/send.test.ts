import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import { filledParts, templateVariables } from '../../shared/domain/channels/whatsapp/templates/fill.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import type { TemplateComponent } from '../../shared/domain/channels/whatsapp/templates/template.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { SendRequest } from '../../shared/domain/message/send-request.ts';
import { messageBody } from '../../shared/providers/whatsapp/cloud-api-body.ts';
import { submittedTemplate, tenant, useNumbers } from '../numbers/kit.ts';
import { reportsOn } from '../numbers/reports.ts';
import { accepted } from '../support/accepted.ts';
import { whatsappDispatch } from '../support/providers/whatsapp-kit.ts';

const { world, ports } = await useNumbers('test');
const actor = await tenant(world);
const approved = (components: readonly TemplateComponent[]) =>
  submittedTemplate(ports, actor, { category: 'marketing', components });

type Given = Pick<SendRequest, 'variables'> & { readonly components?: readonly object[] };
const planned = (template: { name: string }, { variables, components }: Given) =>
  withSavedTemplate(ports, actor.organizationId, {
    channel: 'whatsapp',
    to: '+16505551234',
    type: 'template',
    variables,
    payload: { template: { name: template.name, language: 'pt-BR', components } },
  });
/** The components that Meta receives. */
const onTheWire = async (template: { name: string }, given: Given) => {
  const { payload = {} } = accepted(await planned(template, given));
  const body = messageBody(whatsappDispatch({ content: { payload } })) as { template: { components?: unknown } };
  return body.template.components;
};
const refused = async (template: { name: string }, given: Given) => {
  const outcome = await planned(template, given);
  if (!isRefusal(outcome)) throw new Error('It was allowed.');
  return { code: outcome.details.meta?.code, paths: outcome.details.errors?.map(({ path }) => path) };
};
const WRONG = 'invalid_template_variable';

/** A parameter of text, by its position or name. */
const text = (value: string, name?: string) => ({
  type: 'text',
  ...(name ? { parameter_name: name } : {}),
  text: value,
});
const ORDER = { param_name: 'order_number', example: '860198-230332' };
const NAMED = [
  {
    type: 'HEADER',
    payload: { format: 'TEXT', text: 'Pedido {{order_number}}', example: { header_text_named_params: [ORDER] } },
  },
  {
    type: 'BODY',
    payload: {
      text: 'Obrigado, {{first_name}}! O pedido {{order_number}} saiu.',
      example: { body_text_named_params: [{ param_name: 'first_name', example: 'Pablo' }, ORDER] },
    },
  },
  {
    type: 'BUTTONS',
    payload: { buttons: [{ type: 'URL', text: 'Ver', url: 'https://a.example/{{1}}', example: ['x'] }] },
  },
];
const NAMED_PARTS = [
  { type: 'header', parameters: [text('A-7', 'order_number')] },
  { type: 'body', parameters: [text('Bia', 'first_name'), text('A-7', 'order_number')] },
  { type: 'button', sub_type: 'url', index: '0', parameters: [text('rastreio')] },
];

describe('a template with named variables', () => {
  test('is filled by name in any order, each name everywhere it occurs, and buttons by the remaining values', async () => {
    const template = await approved(NAMED);
    const variables = { link: 'rastreio', first_name: 'Bia', order_number: 'A-7' };
    expect(await onTheWire(template, { variables })).toEqual(NAMED_PARTS);
  });

  test('is also filled by number, in the order of the names', async () => {
    const template = await approved(NAMED);
    expect(await onTheWire(template, { variables: { 1: 'A-7', 2: 'Bia', 3: 'rastreio' } })).toEqual(NAMED_PARTS);
  });

  test.each([
    ['one too few', { first_name: 'Bia', order_number: 'A-7' }],
    ['one too many', { first_name: 'Bia', order_number: 'A-7', link: 'x', more: 'y' }],
    ['an unknown name', { first_name: 'Bia', numero: 'A-7', link: 'x' }],
  ])('is refused with %s', async (_, variables) => {
    expect(await refused(await approved(NAMED), { variables })).toEqual({ code: WRONG, paths: ['variables'] });
  });
});

const BODY = { type: 'BODY', payload: { text: 'Oi, {{1}}!', example: { body_text: [['Ana']] } } };
const FILLED_BODY = { type: 'body', parameters: [text('Bia')] };
const variables = { 1: 'Bia' };

describe('a component that no variable fills', () => {
  const picture = { type: 'HEADER', payload: { format: 'IMAGE', example: { header_handle: ['4::aW'] } } };
  const image = { type: 'header', parameters: [{ type: 'image', image: { id: '2871834006348767' } }] };

  test('is given by the caller and sent along with the filled ones', async () => {
    const template = await approved([picture, BODY]);
    expect(await onTheWire(template, { variables, components: [image] })).toEqual([image, FILLED_BODY]);
  });

  test('is refused by us, not by Meta, when it is missing', async () => {
    const template = await approved([picture, BODY]);
    const expected = { code: WRONG, paths: ['payload.template.components'] };
    expect(await refused(template, { variables })).toEqual(expected);
    expect(await refused(template, { variables, components: [{ type: 'body' }] })).toEqual(expected);
  });
});

describe('a carousel', () => {
  const card = {
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Quero' }] },
    ],
  };
  const parts = [BODY, { type: 'CAROUSEL', payload: { cards: [card, card] } }];
  const sentCard = (index: number) => ({
    card_index: index,
    components: [{ type: 'header', parameters: [{ type: 'image', image: { id: '24230790383178626' } }] }],
  });
  const carousel = (...cards: readonly object[]) => ({ type: 'carousel', cards });

  test('is sent with as many cards as were approved', async () => {
    const template = await approved(parts);
    const components = [carousel(sentCard(0), sentCard(1))];
    expect(await onTheWire(template, { variables, components })).toEqual([...components, FILLED_BODY]);
  });

  test('of fewer cards, or of none, is refused', async () => {
    const template = await approved(parts);
    const expected = { code: WRONG, paths: ['payload.template.components'] };
    expect(await refused(template, { variables, components: [carousel(sentCard(0))] })).toEqual(expected);
    expect(await refused(template, { variables })).toEqual(expected);
  });
});

describe('a limited-time offer', () => {
  const buttons = [
    { type: 'COPY_CODE', example: 'AZUL10' },
    { type: 'URL', text: 'Ver', url: 'https://a.example/{{1}}', example: ['x'] },
  ];
  const parts = (ends: boolean) => [
    { type: 'LIMITED_TIME_OFFER', payload: { limited_time_offer: { text: 'Só hoje!', has_expiration: ends } } },
    BODY,
    { type: 'BUTTONS', payload: { buttons } },
  ];
  const filled = [
    FILLED_BODY,
    { type: 'button', sub_type: 'copy_code', index: '0', parameters: [{ type: 'coupon_code', coupon_code: 'AZUL25' }] },
    { type: 'button', sub_type: 'url', index: '1', parameters: [text('n3mtql')] },
  ];
  const all = { 1: 'Bia', 2: 'AZUL25', 3: 'n3mtql' };

  test('with an expiration is sent with its time', async () => {
    const end = {
      type: 'limited_time_offer',
      parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_698_562_800_000 } }],
    };
    const template = await approved(parts(true));
    expect(await onTheWire(template, { variables: all, components: [end] })).toEqual([end, ...filled]);
    expect(await refused(template, { variables: all })).toMatchObject({ paths: ['payload.template.components'] });
  });

  test('without an expiration is filled by variables alone', async () => {
    expect(await onTheWire(await approved(parts(false)), { variables: all })).toEqual(filled);
  });
});

describe('a template of the category authentication', () => {
  const code = (type: object) => [
    { type: 'BODY', payload: { add_security_recommendation: true } },
    { type: 'BUTTONS', payload: { buttons: [type] } },
  ];
  const asListed = [
    { type: 'BODY', payload: { text: '*{{1}}* is your verification code.', add_security_recommendation: true } },
    {
      type: 'BUTTONS',
      payload: {
        buttons: [
          {
            type: 'URL',
            text: 'Copy code',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp{{1}}',
            example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp123456'],
          },
        ],
      },
    },
  ];

  test.each([
    ['as it was created', code({ type: 'OTP', otp_type: 'COPY_CODE' })],
    ['as Meta lists it', asListed],
  ])('takes one code, in its body and in its button, %s', (_, components) => {
    expect(templateVariables({ components })).toEqual(['1']);
    const parameters = [text('123456')];
    expect(filledParts({ components }, ['123456'])).toEqual([
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
  });

  test('that Meta moved there is filled by its components, not as a code', async () => {
    const payload = { text: 'Oi, {{1}}! Pedido {{2}}.', example: { body_text: [['Ana', 'A-7']] } };
    const template = await approved([{ type: 'BODY', payload }]);
    const report = reportsOn(template).category('AUTHENTICATION', 1);
    expect(await applyMetaReport(ports, actor, report)).toBe('kept');
    expect(accepted(await planned(template, { variables: { 1: 'Bia', 2: 'A-8' } })).route).toBe('authentication');
    expect(await onTheWire(template, { variables: { 1: 'Bia', 2: 'A-8' } })).toEqual([
      { type: 'body', parameters: [text('Bia'), text('A-8')] },
    ]);
  });
});
