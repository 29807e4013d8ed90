import { describe, expect, test } from 'vitest';
import {
  formatMailbox,
  MAX_NAME_LENGTH,
  MAX_SUBJECT_LENGTH,
  mailboxError,
  parseAddress,
  parseMailbox,
  subjectError,
} from '../../shared/domain/core/email-address.ts';

describe('an address', () => {
  test.each([
    ['ana@loja.example', 'ana@loja.example'],
    ['Ana.Souza+x@Loja.Example', 'Ana.Souza+x@loja.example'],
    ["o'neil_{a}|b~c@a-b.co", "o'neil_{a}|b~c@a-b.co"],
    ['ana@são-joão.com.br', 'ana@xn--so-joo-3tae.com.br'],
    ['ana@xn--so-joo-3tae.com.br', 'ana@xn--so-joo-3tae.com.br'],
    [`${'a'.repeat(64)}@b.co`, `${'a'.repeat(64)}@b.co`],
    [`a@${'b'.repeat(63)}.co`, `a@${'b'.repeat(63)}.co`],
  ])('%s is %s', (text, address) => expect(parseAddress(text)).toBe(address));

  test.each([
    '',
    '@',
    'ana',
    'ana@',
    '@loja.example',
    'ana@loja',
    'ana@loja.',
    'ana@.loja.example',
    'ana@loja..example',
    '.ana@loja.example',
    'ana.@loja.example',
    'a..b@loja.example',
    'ana souza@loja.example',
    '"ana souza"@loja.example',
    'ana@loja.example ',
    ' ana@loja.example',
    'ana@loja.example\r\nBcc: x@y.example',
    'ana\u0000@loja.example',
    'anã@loja.example',
    'ana@loja_azul.example',
    'ana@-loja.example',
    'ana@loja-.example',
    'ana@192.0.2.1',
    'ana@[192.0.2.1]',
    'ana@loja.0x7f',
    'ana@loja.example:25',
    'ana@loja.example/x',
    'ana@user@loja.example',
    'ana@ｌoja.example',
    'ana＠loja.example',
    'ana@loja。example',
    'ana@lo\u00adja.example',
    'ana@lo\u200dja.example',
    'ana@\u202eloja.example',
    'ana@%6coja.example',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    `a@${'b.'.repeat(126)}co`,
    'Ana <ana@loja.example>',
    'a@b.co,c@d.co',
  ])('is not %j: nothing is corrected', (text) => expect(parseAddress(text)).toBeUndefined());
});

describe('a mailbox', () => {
  test.each([
    ['ana@loja.example', { address: 'ana@loja.example' }, 'ana@loja.example'],
    ['<ana@loja.example>', { address: 'ana@loja.example' }, 'ana@loja.example'],
    [
      'Loja Azul <Ana@Loja.Example>',
      { name: 'Loja Azul', address: 'Ana@loja.example' },
      '"Loja Azul" <Ana@loja.example>',
    ],
    [
      '"Azul, \\"Loja\\" <x>" <ana@loja.example>',
      { name: 'Azul, "Loja" <x>', address: 'ana@loja.example' },
      '"Azul, \\"Loja\\" <x>" <ana@loja.example>',
    ],
    [
      'Ação <ana@loja.example>',
      { name: 'Ação', address: 'ana@loja.example' },
      '=?UTF-8?B?QcOnw6Nv?= <ana@loja.example>',
    ],
    [
      '=?UTF-8?B?eA==?= <ana@loja.example>',
      { name: '=?UTF-8?B?eA==?=', address: 'ana@loja.example' },
      '=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?= <ana@loja.example>',
    ],
  ])('%s is parsed and formatted for its header', (text, mailbox, header) => {
    expect(mailboxError(text)).toBeUndefined();
    expect(parseMailbox(text)).toEqual(mailbox);
    expect(formatMailbox(parseMailbox(text) ?? { address: '' })).toBe(header);
  });

  test.each([
    '',
    'Loja <>',
    'Loja <ana@loja.example',
    'Loja ana@loja.example',
    'Loja\r\nBcc: x@y.example <ana@loja.example>',
    'Loja\u0000 <ana@loja.example>',
    'Loja\u2028 <ana@loja.example>',
    'Lo\u202eja <ana@loja.example>',
    '\ud800 <ana@loja.example>',
    'Lo"ja <ana@loja.example>',
    '"Lo"ja" <ana@loja.example>',
    '"Loja\\" <ana@loja.example>',
    'Loja <ana@loja.example> <bia@loja.example>',
    `${'a'.repeat(MAX_NAME_LENGTH + 1)} <ana@loja.example>`,
    `Loja <ana@loja.example>${' '.repeat(1_000)}`,
  ])('is not %j', (text) => expect(mailboxError(text)).toBeTypeOf('string'));

  test('with a long name beyond ASCII is formatted as encoded words of whole characters, each of a valid length', () => {
    const name = '😀ção '.repeat(25).trim();
    const header = formatMailbox({ name, address: 'a@b.co' });
    const words = header.replace(' <a@b.co>', '').split(' ');
    for (const word of words) expect(word.length).toBeLessThanOrEqual(75);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
    const octets = words.map((word) => Buffer.from(word.slice('=?UTF-8?B?'.length, -2), 'base64').toString());
    expect(octets.join('')).toBe(name);
    for (const text of octets) expect(text).not.toContain('\ufffd');
  });
});

describe('a subject', () => {
  test('is one line of text', () => {
    for (const text of ['Oi', 'ç 🙂 "x"', 'x'.repeat(MAX_SUBJECT_LENGTH)]) expect(subjectError(text)).toBeUndefined();
  });
  test.each([
    '',
    ' ',
    'Oi\nBcc: x',
    'Oi\r',
    'a\u0000',
    'a\u0085b',
    'a\u2029b',
    '\u202ea',
    'x'.repeat(MAX_SUBJECT_LENGTH + 1),
  ])('is not %j', (text) => expect(subjectError(text)).toBeTypeOf('string'));
});
