import { describe, expect, test } from 'vitest';
import { componentErrors } from '../../shared/domain/channels/whatsapp/templates/components.ts';
import { templateVariables } from '../../shared/domain/channels/whatsapp/templates/fill.ts';
import type { TemplateCategory, TemplateComponent } from '../../shared/domain/channels/whatsapp/templates/template.ts';

const body = (text: string, examples?: readonly string[]): TemplateComponent => ({
  type: 'BODY',
  payload: { text, ...(examples ? { example: { body_text: [examples] } } : {}) },
});
const header = (payload: object): TemplateComponent => ({ type: 'HEADER', payload });
const buttons = (...list: readonly object[]): TemplateComponent => ({ type: 'BUTTONS', payload: { buttons: list } });
const reply = (text = 'Sim') => ({ type: 'QUICK_REPLY', text });
const url = (address: string, example?: string) => ({
  type: 'URL',
  text: 'Ver',
  url: address,
  ...(example === undefined ? {} : { example: [example] }),
});
const OI = body('Oi');
const named = (text: string, names: readonly string[]): TemplateComponent => ({
  type: 'BODY',
  payload: { text, example: { body_text_named_params: names.map((name) => ({ param_name: name, example: 'x' })) } },
});
const picture = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } };
const replies = (...texts: readonly string[]) => ({ type: 'BUTTONS', buttons: texts.map((text) => reply(text)) });
const cards = (...list: readonly (readonly object[])[]): TemplateComponent => ({
  type: 'CAROUSEL',
  payload: { cards: list.map((parts) => ({ components: parts })) },
});
const offer = (ends?: boolean): TemplateComponent => ({
  type: 'LIMITED_TIME_OFFER',
  payload: { limited_time_offer: { text: 'Só hoje!', ...(ends === undefined ? {} : { has_expiration: ends }) } },
});
const coupon = { type: 'COPY_CODE', example: 'AZUL10' };
const CARD = [picture, { type: 'BODY', text: 'Vaso' }, replies('Quero')];
const paths = (components: readonly TemplateComponent[], category: TemplateCategory = 'utility', example?: string) =>
  componentErrors(components, category, example).map(({ path }) => path);

describe('components that the platform takes', () => {
  test.each<[string, readonly TemplateComponent[], TemplateCategory, number]>([
    ['a body alone', [OI], 'utility', 0],
    ['types in any case', [{ type: 'body', payload: { text: 'Oi' } }], 'utility', 0],
    ['1,024 characters', [body('x'.repeat(1_024))], 'utility', 0],
    ['a variable that comes twice', [body('{{1}}, {{2}}, {{1}}!', ['a', 'b'])], 'utility', 2],
    [
      'a variable in the header',
      [
        header({ format: 'TEXT', text: 'Oi {{1}}', example: { header_text: ['a'] } }),
        body('{{1}} {{2}} x', ['a', 'b']),
      ],
      'marketing',
      3,
    ],
    ['a picture', [header({ format: 'IMAGE', example: { header_handle: ['4::aW'] } }), OI], 'marketing', 0],
    ['a place', [header({ format: 'LOCATION' }), OI], 'utility', 0],
    ['ten quick replies', [OI, buttons(...Array.from({ length: 10 }, () => reply()))], 'utility', 0],
    [
      'replies, then others',
      [OI, buttons(reply(), reply(), url('https://a.example/{{1}}', 'x'), url('https://b.example'))],
      'utility',
      1,
    ],
    ['a coupon', [OI, buttons(coupon)], 'marketing', 1],
    ['names for its variables', [named('Oi {{nome}}, {{pedido_1}}: {{nome}}!', ['pedido_1', 'nome'])], 'utility', 2],
    ['two cards', [OI, cards(CARD, CARD)], 'marketing', 0],
    ['ten cards of a picture alone', [OI, cards(...Array.from({ length: 10 }, () => [picture]))], 'marketing', 0],
    ['an offer that ends', [offer(true), OI, buttons(coupon, url('https://a.example/{{1}}', 'x'))], 'marketing', 2],
    ['an offer without an end', [offer(), OI, buttons(url('https://a.example'))], 'marketing', 0],
    [
      'a code',
      [
        { type: 'BODY', payload: { add_security_recommendation: true } },
        { type: 'FOOTER', payload: { code_expiration_minutes: 10 } },
        buttons({ type: 'OTP', otp_type: 'COPY_CODE' }),
      ],
      'authentication',
      1,
    ],
  ])('%s', (_, components, category, variables) => {
    expect(componentErrors(components, category)).toEqual([]);
    expect(templateVariables({ components })).toHaveLength(variables);
  });

  test('a media header takes its example from the template', () => {
    expect(paths([header({ format: 'VIDEO' }), OI], 'marketing', 'https://cdn.example/a.mp4')).toEqual([]);
  });
});

describe('a carousel or an offer that the platform refuses is named by its path', () => {
  const at = 'components.1.payload';
  test.each<[string, readonly TemplateComponent[], readonly string[]]>([
    ['one card', [OI, cards(CARD)], [`${at}.cards`]],
    ['eleven cards', [OI, cards(...Array.from({ length: 11 }, () => CARD))], [`${at}.cards`]],
    ['a card without a picture', [OI, cards([replies('x')], CARD)], [`${at}.cards.0.components`]],
    ['cards that differ', [OI, cards(CARD, [picture])], [`${at}.cards`]],
    ['buttons that differ', [OI, cards(CARD, [picture, CARD[1] as object, replies('a', 'b')])], [`${at}.cards`]],
    [
      'a footer in a card',
      [OI, cards([picture, { type: 'FOOTER', text: 'x' }], CARD)],
      [`${at}.cards.0.components.1.type`],
    ],
    ['three buttons', [OI, cards([picture, replies('a', 'b', 'c')], CARD)], [`${at}.cards.0.components.1.buttons`]],
    [
      '161 characters in a card',
      [OI, cards([picture, { type: 'BODY', text: 'x'.repeat(161) }], CARD)],
      [`${at}.cards.0.components.1.text`],
    ],
    [
      'a file in a card',
      [OI, cards([{ ...picture, format: 'DOCUMENT' }], CARD)],
      [`${at}.cards.0.components.0.format`],
    ],
    [
      'a picture without its handle',
      [OI, cards([{ type: 'HEADER', format: 'IMAGE' }], CARD)],
      [`${at}.cards.0.components.0.example.header_handle`],
    ],
    ['a footer beside cards', [OI, { type: 'FOOTER', payload: { text: 'x' } }, cards(CARD, CARD)], [at]],
    ['an offer without an address', [OI, offer()], ['components']],
    ['an end without a code', [OI, offer(true), buttons(url('https://a.example'))], ['components.2.payload']],
    [
      'a code that is not the first button',
      [OI, offer(), buttons(url('https://a.example'), coupon)],
      ['components.2.payload'],
    ],
    [
      'a footer beside an offer',
      [OI, offer(), buttons(url('https://a.example')), { type: 'FOOTER', payload: { text: 'x' } }],
      ['components.3.payload'],
    ],
    [
      'a body of 601 characters beside an offer',
      [body('x'.repeat(601)), offer(), buttons(url('https://a.example'))],
      ['components.0.payload.text'],
    ],
  ])('%s', (_, components, expected) => {
    expect(paths(components, 'marketing')).toEqual(expected);
  });

  test('outside of marketing', () => {
    expect(paths([OI, cards(CARD, CARD)])).toEqual([at]);
    expect(paths([OI, offer(), buttons(url('https://a.example'))])).toEqual([at]);
  });
});

describe('components that the platform refuses are named by their path', () => {
  test.each<[string, readonly TemplateComponent[], readonly string[]]>([
    ['none', [], ['components']],
    ['no body', [{ type: 'FOOTER', payload: { text: 'x' } }], ['components']],
    ['two bodies', [OI, OI], ['components.1.type']],
    ['a type that is none', [OI, { type: 'POLL', payload: {} }], ['components.1.type']],
    ['no payload', [{ type: 'BODY' }], ['components.0.payload.text']],
    ['a field that is none', [{ type: 'BODY', payload: { text: 'x', html: 'y' } }], ['components.0.payload']],
    ['1,025 characters', [body('x'.repeat(1_025))], ['components.0.payload.text']],
    ['a gap', [body('{{1}} {{3}} x', ['a', 'b'])], ['components.0.payload.text']],
    [
      'a name without an example',
      [named('{{nome}} {{pedido}} x', ['nome'])],
      ['components.0.payload.example.body_text_named_params'],
    ],
    [
      'a name with the example of a number',
      [body('{{nome}} x', ['a'])],
      ['components.0.payload.example.body_text_named_params'],
    ],
    ['a name in capitals', [named('{{Nome}} x', ['Nome'])], ['components.0.payload.text']],
    [
      'a header that numbers beside a body that names',
      [header({ format: 'TEXT', text: 'Oi {{1}}', example: { header_text: ['a'] } }), named('{{nome}} x', ['nome'])],
      ['components.0.payload.text'],
    ],
    ['a start at two', [body('{{2}} x', ['a'])], ['components.0.payload.text']],
    ['a numbered variable beside a named one', [body('{{nome}} {{1}} x', ['a'])], ['components.0.payload.text']],
    ['a variable without an example', [body('Oi {{1}}!')], ['components.0.payload.example.body_text']],
    ['an example too many', [body('Oi {{1}}!', ['a', 'b'])], ['components.0.payload.example.body_text']],
    [
      'two variables in a header',
      [header({ format: 'TEXT', text: '{{1}} {{2}}', example: { header_text: ['a', 'b'] } }), OI],
      ['components.0.payload.text'],
    ],
    [
      'a header of 61 characters',
      [header({ format: 'TEXT', text: 'x'.repeat(61) }), OI],
      ['components.0.payload.text'],
    ],
    ['a picture without an example', [header({ format: 'IMAGE' }), OI], ['components.0.payload.example.header_handle']],
    [
      'a GIF outside of marketing',
      [header({ format: 'GIF', example: { header_handle: ['4::aW'] } }), OI],
      ['components.0.payload.format'],
    ],
    ['a header of another form', [header({ format: 'AUDIO' }), OI], ['components.0.payload.format']],
    ['a variable in the footer', [OI, { type: 'FOOTER', payload: { text: 'x {{1}}' } }], ['components.1.payload.text']],
    [
      'a footer of 61 characters',
      [OI, { type: 'FOOTER', payload: { text: 'x'.repeat(61) } }],
      ['components.1.payload.text'],
    ],
    ['eleven buttons', [OI, buttons(...Array.from({ length: 11 }, () => reply()))], ['components.1.payload.buttons']],
    ['a label of 26 characters', [OI, buttons(reply('x'.repeat(26)))], ['components.1.payload.buttons.0.text']],
    [
      'three addresses',
      [OI, buttons(...Array.from({ length: 3 }, () => url('https://a.example')))],
      ['components.1.payload.buttons'],
    ],
    [
      'two phones',
      [
        OI,
        buttons(
          ...Array.from({ length: 2 }, () => ({ type: 'PHONE_NUMBER', text: 'x', phone_number: '+5511999990000' })),
        ),
      ],
      ['components.1.payload.buttons'],
    ],
    [
      'replies on both sides of another',
      [OI, buttons(reply(), url('https://a.example'), reply())],
      ['components.1.payload.buttons'],
    ],
    [
      'a variable amid an address',
      [OI, buttons(url('https://a.example/{{1}}/x', 'y'))],
      ['components.1.payload.buttons.0.url'],
    ],
    [
      'an address without its example',
      [OI, buttons(url('https://a.example/{{1}}'))],
      ['components.1.payload.buttons.0.example'],
    ],
    ['an address that is none', [OI, buttons(url('javascript:alert(1)'))], ['components.1.payload.buttons.0.url']],
    [
      'a code outside of authentication',
      [OI, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })],
      ['components.1.payload.buttons'],
    ],
  ])('%s', (_, components, expected) => {
    expect(paths(components)).toEqual(expected);
  });

  test.each<[string, readonly TemplateComponent[], readonly string[]]>([
    ['its own words', [OI, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })], ['components.0.payload']],
    ['no button', [{ type: 'BODY', payload: {} }], ['components']],
    ['another button', [{ type: 'BODY', payload: {} }, buttons(reply())], ['components.1.payload.buttons']],
    [
      '91 minutes',
      [
        { type: 'BODY' },
        { type: 'FOOTER', payload: { code_expiration_minutes: 91 } },
        buttons({ type: 'OTP', otp_type: 'ONE_TAP' }),
      ],
      ['components.1.payload.code_expiration_minutes'],
    ],
  ])('for authentication: %s', (_, components, expected) => {
    expect(paths(components, 'authentication')).toEqual(expected);
  });

  test('a text of many braces is judged in linear time', () => {
    expect(paths([body('{'.repeat(1_000))])).toEqual([]);
    expect(paths([body('{{'.repeat(250) + '}}'.repeat(250))])).toEqual(['components.0.payload.text']);
  });
});
