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
const SITE = url('https://a.example');
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

/** A path below `components`, or `components` itself. */
const at = (path: string) => (path === '' ? 'components' : `components.${path}`);

describe('components that Meta accepts', () => {
  test.each<[string, readonly TemplateComponent[], TemplateCategory, number]>([
    ['a body alone', [OI], 'utility', 0],
    ['types in any case', [{ type: 'body', payload: { text: 'Oi' } }], 'utility', 0],
    ['1,024 characters', [body('x'.repeat(1_024))], 'utility', 0],
    ['a repeated variable', [body('{{1}}, {{2}}, {{1}}!', ['a', 'b'])], 'utility', 2],
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
    ['a location', [header({ format: 'LOCATION' }), OI], 'utility', 0],
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
    [
      'an offer with an expiration',
      [offer(true), OI, buttons(coupon, url('https://a.example/{{1}}', 'x'))],
      'marketing',
      2,
    ],
    ['an offer without an expiration', [offer(), OI, buttons(SITE)], 'marketing', 0],
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

  test('a media header uses the example of the template', () => {
    expect(paths([header({ format: 'VIDEO' }), OI], 'marketing', 'https://cdn.example/a.mp4')).toEqual([]);
  });
});

describe('a carousel or an offer that Meta refuses is reported by its path', () => {
  test.each<[string, readonly TemplateComponent[], string]>([
    ['one card', [OI, cards(CARD)], '1.payload.cards'],
    ['eleven cards', [OI, cards(...Array.from({ length: 11 }, () => CARD))], '1.payload.cards'],
    ['a card without a picture', [OI, cards([replies('x')], CARD)], '1.payload.cards.0.components'],
    ['cards that differ', [OI, cards(CARD, [picture])], '1.payload.cards'],
    ['buttons that differ', [OI, cards(CARD, [picture, CARD[1] as object, replies('a', 'b')])], '1.payload.cards'],
    [
      'a footer in a card',
      [OI, cards([picture, { type: 'FOOTER', text: 'x' }], CARD)],
      '1.payload.cards.0.components.1.type',
    ],
    ['three buttons', [OI, cards([picture, replies('a', 'b', 'c')], CARD)], '1.payload.cards.0.components.1.buttons'],
    [
      '161 characters in a card',
      [OI, cards([picture, { type: 'BODY', text: 'x'.repeat(161) }], CARD)],
      '1.payload.cards.0.components.1.text',
    ],
    [
      'a document in a card',
      [OI, cards([{ ...picture, format: 'DOCUMENT' }], CARD)],
      '1.payload.cards.0.components.0.format',
    ],
    [
      'a picture without its handle',
      [OI, cards([{ type: 'HEADER', format: 'IMAGE' }], CARD)],
      '1.payload.cards.0.components.0.example.header_handle',
    ],
    ['a footer beside cards', [OI, { type: 'FOOTER', payload: { text: 'x' } }, cards(CARD, CARD)], '1.payload'],
    ['an offer without an address', [OI, offer()], ''],
    ['an expiration without a code', [OI, offer(true), buttons(SITE)], '2.payload'],
    ['a code that is not the first button', [OI, offer(), buttons(SITE, coupon)], '2.payload'],
    ['a footer beside an offer', [OI, offer(), buttons(SITE), { type: 'FOOTER', payload: { text: 'x' } }], '3.payload'],
    ['a body of 601 characters beside an offer', [body('x'.repeat(601)), offer(), buttons(SITE)], '0.payload.text'],
  ])('%s', (_, components, path) => {
    expect(paths(components, 'marketing')).toEqual([at(path)]);
  });

  test('outside of marketing', () => {
    expect(paths([OI, cards(CARD, CARD)])).toEqual([at('1.payload')]);
    expect(paths([OI, offer(), buttons(SITE)])).toEqual([at('1.payload')]);
  });
});

describe('components that Meta refuses are reported by their path', () => {
  test.each<[string, readonly TemplateComponent[], string]>([
    ['none', [], ''],
    ['no body', [{ type: 'FOOTER', payload: { text: 'x' } }], ''],
    ['two bodies', [OI, OI], '1.type'],
    ['an unknown type', [OI, { type: 'POLL', payload: {} }], '1.type'],
    ['no payload', [{ type: 'BODY' }], '0.payload.text'],
    ['an unknown field', [{ type: 'BODY', payload: { text: 'x', html: 'y' } }], '0.payload'],
    ['1,025 characters', [body('x'.repeat(1_025))], '0.payload.text'],
    ['a gap', [body('{{1}} {{3}} x', ['a', 'b'])], '0.payload.text'],
    [
      'a name without an example',
      [named('{{nome}} {{pedido}} x', ['nome'])],
      '0.payload.example.body_text_named_params',
    ],
    ['a name with the example of a number', [body('{{nome}} x', ['a'])], '0.payload.example.body_text_named_params'],
    ['a name in capitals', [named('{{Nome}} x', ['Nome'])], '0.payload.text'],
    [
      'a header that numbers beside a body that names',
      [header({ format: 'TEXT', text: 'Oi {{1}}', example: { header_text: ['a'] } }), named('{{nome}} x', ['nome'])],
      '0.payload.text',
    ],
    ['a start at two', [body('{{2}} x', ['a'])], '0.payload.text'],
    ['a numbered variable beside a named one', [body('{{nome}} {{1}} x', ['a'])], '0.payload.text'],
    ['a variable without an example', [body('Oi {{1}}!')], '0.payload.example.body_text'],
    ['an example too many', [body('Oi {{1}}!', ['a', 'b'])], '0.payload.example.body_text'],
    [
      'two variables in a header',
      [header({ format: 'TEXT', text: '{{1}} {{2}}', example: { header_text: ['a', 'b'] } }), OI],
      '0.payload.text',
    ],
    ['a header of 61 characters', [header({ format: 'TEXT', text: 'x'.repeat(61) }), OI], '0.payload.text'],
    ['a picture without an example', [header({ format: 'IMAGE' }), OI], '0.payload.example.header_handle'],
    [
      'a GIF outside of marketing',
      [header({ format: 'GIF', example: { header_handle: ['4::aW'] } }), OI],
      '0.payload.format',
    ],
    ['a header of another form', [header({ format: 'AUDIO' }), OI], '0.payload.format'],
    ['a variable in the footer', [OI, { type: 'FOOTER', payload: { text: 'x {{1}}' } }], '1.payload.text'],
    ['a footer of 61 characters', [OI, { type: 'FOOTER', payload: { text: 'x'.repeat(61) } }], '1.payload.text'],
    ['eleven buttons', [OI, buttons(...Array.from({ length: 11 }, () => reply()))], '1.payload.buttons'],
    ['a label of 26 characters', [OI, buttons(reply('x'.repeat(26)))], '1.payload.buttons.0.text'],
    ['three addresses', [OI, buttons(...Array.from({ length: 3 }, () => SITE))], '1.payload.buttons'],
    [
      'two phones',
      [
        OI,
        buttons(
          ...Array.from({ length: 2 }, () => ({ type: 'PHONE_NUMBER', text: 'x', phone_number: '+5511999990000' })),
        ),
      ],
      '1.payload.buttons',
    ],
    ['replies on both sides of another button', [OI, buttons(reply(), SITE, reply())], '1.payload.buttons'],
    ['a variable amid an address', [OI, buttons(url('https://a.example/{{1}}/x', 'y'))], '1.payload.buttons.0.url'],
    ['an address without its example', [OI, buttons(url('https://a.example/{{1}}'))], '1.payload.buttons.0.example'],
    ['an invalid address', [OI, buttons(url('javascript:alert(1)'))], '1.payload.buttons.0.url'],
    ['a code outside of authentication', [OI, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })], '1.payload.buttons'],
  ])('%s', (_, components, path) => {
    expect(paths(components)).toEqual([at(path)]);
  });

  test.each<[string, readonly TemplateComponent[], string]>([
    ['text of its own', [OI, buttons({ type: 'OTP', otp_type: 'COPY_CODE' })], '0.payload'],
    ['no button', [{ type: 'BODY', payload: {} }], ''],
    ['another button', [{ type: 'BODY', payload: {} }, buttons(reply())], '1.payload.buttons'],
    [
      '91 minutes',
      [
        { type: 'BODY' },
        { type: 'FOOTER', payload: { code_expiration_minutes: 91 } },
        buttons({ type: 'OTP', otp_type: 'ONE_TAP' }),
      ],
      '1.payload.code_expiration_minutes',
    ],
  ])('for authentication: %s', (_, components, path) => {
    expect(paths(components, 'authentication')).toEqual([at(path)]);
  });

  test('a text of many braces is judged in linear time', () => {
    expect(paths([body('{'.repeat(1_000))])).toEqual([]);
    expect(paths([body('{{'.repeat(250) + '}}'.repeat(250))])).toEqual(['components.0.payload.text']);
  });
});
