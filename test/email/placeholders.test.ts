import { expect, test } from 'vitest';
import {
  type EscapeContext,
  fillPlaceholders,
  invalidPlaceholderLine,
} from '../../shared/domain/channels/email/placeholders.ts';

const MAX_LENGTH = 1_000_000;
const declared = [{ name: 'nome', example: 'Ana' }, { name: 'pedido' }];
const filled = (source: string, part: EscapeContext, given: Record<string, string | number | boolean> = {}) =>
  fillPlaceholders(source, part, { declared, given }, MAX_LENGTH);

test('a variable has the value of the send, else its example, else nothing', () => {
  expect(filled('{{nome}}/{{ pedido }}/{{outro}}', 'text', { nome: 'Bia', pedido: 7, outro: true })).toBe('Bia/7/true');
  expect(filled('{{nome}}/{{pedido}}/{{outro}}', 'text')).toBe('Ana//');
  expect(filled('{{nome}}', 'text', { nome: '' })).toBe('');
});

test('a script never becomes the address of a link, however it is written; what else a link may have, stays', () => {
  for (const pedido of ['javascript:alert(1)', ' JavaScript:x', 'java\tscript:x', 'vbscript:x', 'data:text/html,x'])
    for (const before of ['<a href="', "<a href='\n", '<a href="&#32;', '<button formaction="', '<img src='])
      expect(filled(`${before}{{pedido}}">`, 'html', { pedido })).toBe(`${before}">`);
  for (const pedido of ['https://loja.com/?a', 'mailto:oi@loja.com', 'tel:+5511', '/pedidos'])
    expect(filled('<a href="{{pedido}}">', 'html', { pedido })).toBe(`<a href="${pedido}">`);
  expect(filled('<p>{{pedido}}</p>', 'html', { pedido: 'javascript:alert(1)' })).toBe('<p>javascript:alert(1)</p>');
});

test('no placeholder reaches the inbox, whatever is between its braces', () => {
  const unclosed = ['{{', '{{{', '{{{{{{'];
  const invalid = ['{{#if x}}', '{{ pedido nº }}', '{{}}', '{{1}}', '{{a b}}', `{{${'a'.repeat(65)}}}`];
  for (const source of [...unclosed, ...invalid])
    for (const part of ['html', 'line', 'text'] as const)
      expect(filled(`[${source}`, part), source).not.toContain('{{');
  expect(filled('a {{x y}} b {{nome}} c', 'text')).toBe('a  b Ana c');
});

test('html escapes values in elements and attributes, however many braces surround them', () => {
  const given = { nome: `<a href='x' onclick="y">&\`=` };
  const escaped = '&lt;a href&#61;&#39;x&#39; onclick&#61;&quot;y&quot;&gt;&amp;&#96;&#61;';
  for (const source of ['{{nome}}', '{{{nome}}}', '{{{{ nome }}}}', '{{{nome}}'])
    expect(filled(source, 'html', given)).toBe(escaped);
  expect(filled('<b>{{nome}}</b>', 'text', given)).toBe(`<b>${given.nome}</b>`);
});

test('a value cannot break out of a line, and keeps its lines in text', () => {
  const given = { nome: 'a\r\nBcc: x@y.example\u0000\u0085\u2028b\tc' };
  expect(filled('{{nome}}', 'line', given)).toBe('aBcc: x@y.examplebc');
  expect(filled('{{nome}}', 'text', given)).toBe('a\nBcc: x@y.example\u2028b\tc');
  expect(filled('{{nome}}', 'html', given)).toBe('a\nBcc: x@y.example\u2028b\tc');
});

test('a value is not searched for placeholders, and inherited names are no values', () => {
  expect(filled('{{nome}}', 'text', { nome: '{{pedido}}', pedido: 'x' })).toBe('{{pedido}}');
  expect(filled('{{constructor}}{{__proto__}}{{toString}}', 'text')).toBe('');
});

test('a short template cannot grow beyond its maximum by a long value', () => {
  const source = '{{nome}}'.repeat(100_000);
  expect(
    fillPlaceholders(source, 'html', { declared, given: { nome: '<'.repeat(1_000_000) } }, MAX_LENGTH),
  ).toBeUndefined();
  expect(fillPlaceholders('{{nome}}', 'html', { declared, given: { nome: 'abc' } }, 3)).toBe('abc');
  expect(fillPlaceholders('{{nome}}', 'html', { declared, given: { nome: 'abcd' } }, 3)).toBeUndefined();
});

test('an invalid placeholder is found by its line', () => {
  expect(invalidPlaceholderLine('a {{b}}\n{{c}}')).toBeUndefined();
  expect(invalidPlaceholderLine('a\nb {{#if}}')).toBe(2);
  expect(invalidPlaceholderLine('a\n\n{{open')).toBe(3);
});
