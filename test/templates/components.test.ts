import { describe, expect, test } from 'vitest';
import { componentFaults } from '../../shared/domain/templates/components.ts';
import { variablesTaken } from '../../shared/domain/templates/send.ts';
import type { TemplateCategory, TemplateComponent } from '../../shared/domain/templates/template.ts';

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
const paths = (components: readonly TemplateComponent[], category: TemplateCategory = 'utility', example?: string) =>
  componentFaults(components, category, example).map(({ path }) => path);

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
    ['a coupon', [OI, buttons({ type: 'COPY_CODE', example: 'AZUL10' })], 'marketing', 1],
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
    expect(componentFaults(components, category)).toEqual([]);
    expect(variablesTaken({ components, category })).toBe(variables);
  });

  test('a media header takes its example from the template', () => {
    expect(paths([header({ format: 'VIDEO' }), OI], 'marketing', 'https://cdn.example/a.mp4')).toEqual([]);
  });
});

describe('components that the platform refuses are named by their path', () => {
  test.each<[string, readonly TemplateComponent[], readonly string[]]>([
    ['none', [], ['components']],
    ['no body', [{ type: 'FOOTER', payload: { text: 'x' } }], ['components']],
    ['two bodies', [OI, OI], ['components.1.type']],
    ['a type that is none', [OI, { type: 'CAROUSEL', payload: {} }], ['components.1.type']],
    ['no payload', [{ type: 'BODY' }], ['components.0.payload.text']],
    ['a field that is none', [{ type: 'BODY', payload: { text: 'x', html: 'y' } }], ['components.0.payload']],
    ['1,025 characters', [body('x'.repeat(1_025))], ['components.0.payload.text']],
    ['a gap', [body('{{1}} {{3}} x', ['a', 'b'])], ['components.0.payload.text']],
    ['a start at two', [body('{{2}} x', ['a'])], ['components.0.payload.text']],
    ['a named variable', [body('{{nome}} x', ['a'])], ['components.0.payload.text']],
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
