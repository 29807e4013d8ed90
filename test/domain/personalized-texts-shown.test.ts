import { expect, test } from 'vitest';
import { shownTexts } from '../../shared/domain/message/shown-texts.ts';

const automation = { origin: 'automation' } as const;
const shown = (text: string) => shownTexts(automation, text, false);

test.each([
  ['tel +5511987654321.', 'tel +55119****4321.'],
  ['mail zoe.lima+a@loja.com.br, ok', 'mail z***@loja.com.br, ok'],
  ['https://x.com/?t=%2B5511987654321&e=zoe%40loja.com', 'https://x.com/?t=%2B55119****4321&e=z***%40loja.com'],
  ['<a href="mailto:zoe@loja.com.br">zoe@loja.com.br</a>', '<a href="mailto:z***@loja.com.br">z***@loja.com.br</a>'],
  ['https://x.com/?e=zoe.lima%2Bloja%40loja.com', 'https://x.com/?e=z***%40loja.com'],
  ['<p>zoe.d&#39;ana@loja.com.br</p>', '<p>z***@loja.com.br</p>'],
  [`mail ${'zoe'.repeat(40)}@loja.com.br`, 'mail z***@loja.com.br'],
  ['pedido 5511987654321, R$ +12, 3@4, a@b', 'pedido 5511987654321, R$ +12, 3@4, a@b'],
])("an automation's text is shown without addresses: %s", (text, masked) => {
  expect(shown(text)).toBe(masked);
});

test('addresses are masked anywhere in a payload, unless the caller may see them', () => {
  const payload = { title: 'Oi', body: ['zoe@loja.com', { a: '+5511987654321' }], count: 3, none: null };
  expect(shownTexts(automation, payload, false)).toEqual({
    title: 'Oi',
    body: ['z***@loja.com', { a: '+55119****4321' }],
    count: 3,
    none: null,
  });
  expect(shownTexts(automation, payload, true)).toBe(payload);
});

test('text that the caller wrote is shown unchanged', () => {
  for (const origin of ['api', 'composer', undefined] as const)
    expect(shownTexts({ origin }, 'zoe@loja.com', false)).toBe('zoe@loja.com');
});

test('a long text that resembles an address is searched without backtracking through it', () => {
  const text = 'a.'.repeat(50_000);
  // The processor's time: unlike the clock it does not count other processes.
  const before = process.cpuUsage();
  expect(shown(text)).toBe(text);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
});
