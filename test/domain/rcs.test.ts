import { describe, expect, test } from 'vitest';
import { SendRcs } from '../../shared/contracts/rcs.ts';
import { rcs } from '../../shared/domain/channels/rcs/channel.ts';
import {
  codePointLength,
  RCS_LIMITS,
  type RcsCard,
  type RcsSuggestion,
} from '../../shared/domain/channels/rcs/content.ts';
import {
  cardErrors,
  fileUrlError,
  lengthErrors,
  openUrlError,
  prepareRcs,
} from '../../shared/domain/channels/rcs/prepare.ts';
import { statesOf } from '../../shared/domain/channels/rcs/views.ts';
import { prepareText } from '../../shared/domain/channels/sms/text.ts';
import { fc } from '../support/fast-check.ts';

const card = (more: Partial<RcsCard> = {}): RcsCard => ({ title: 'T', description: 'D', ...more });
const buttons = (...suggestions: RcsSuggestion[]) => ({ content: { card: card({ suggestions }) } });

describe('the image of a card', () => {
  test.each([
    'https://cdn.loja.com.br/pedido.png',
    'https://cdn.loja.com.br:8443/a/b.jpg?x=1',
    'https://ação.com.br/promoção.png',
    'HTTPS://CDN.LOJA.COM/A.PNG',
  ])('may be at %s', (url) => expect(fileUrlError(url)).toBeUndefined());

  test.each([
    'http://cdn.loja.com.br/pedido.png',
    'ftp://cdn.loja.com.br/pedido.png',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    '//cdn.loja.com.br/a.png',
    'cdn.loja.com.br/a.png',
    'https://',
    'https://user@cdn.loja.com.br/a.png',
    'https://user:pass@cdn.loja.com.br/a.png',
    'https://localhost/a.png',
    'https://img.localhost/a.png',
    'https://printer.local/a.png',
    'https://metadata.google.internal/a.png',
    'https://cdn.test/a.png',
    'https://cdn.invalid/a.png',
    'https://1.0.0.127.in-addr.arpa/a.png',
    'https://intranet/a.png',
    'https://127.0.0.1/a.png',
    'https://10.0.0.1/a.png',
    'https://169.254.169.254/latest/meta-data',
    'https://8.8.8.8/a.png',
    'https://2130706433/a.png',
    'https://0x7f.1/a.png',
    'https://１２７.0.0.1/a.png',
    'https://[::1]/a.png',
    'https://[2600::1]/a.png',
    'https://[::ffff:8.8.8.8]/a.png',
    'https://cdn.loja.com.br./a.png',
    'https://cdn.loja.com.br:22/a.png',
    'https://cdn.loja.com.br/a b.png',
    'https://cdn.loja.com.br/a\u202epng',
    'https://cdn.loja.com.br\\@evil.example/a.png',
    `https://cdn.loja.com.br/${'a'.repeat(2_050)}`,
  ])('may not be at %s', (url) => expect(fileUrlError(url)).toEqual(expect.any(String)));
});

describe('a button', () => {
  test.each([
    'https://loja.com.br/p/1',
    'http://loja.com.br',
    'https://10.0.0.1:8080/a',
    'https://ação.com.br/é?q=1#x',
  ])('may open %s, which only the device connects to', (url) => expect(openUrlError(url)).toBeUndefined());
  test.each([
    'javascript:alert(1)',
    'intent://x#Intent;end',
    'tel:+551130001234',
    'mailto:a@b.co',
    'loja.com.br',
    '/p/1',
    'https://',
    'https://banco.com.br@evil.example/',
    'https://loja.com.br/a b',
    'https://loja.com.br/\u200bx',
    'https://loja.com.br\\x',
    'https://loja.com.br/\n',
  ])('may not open %j', (url) => expect(openUrlError(url)).toEqual(expect.any(String)));

  test.each(['+551130001234', '+5511999990005', '+558007010000'])('may call %s', (phone) =>
    expect(cardErrors(buttons({ kind: 'call', label: 'Ligar', phone }))).toEqual([]),
  );
  test.each(['11 3000-1234', '+55 11 3000-1234', '551130001234', '+5511', '+999999999999', '190'])(
    'may not call %s',
    (phone) =>
      expect(cardErrors(buttons({ kind: 'call', label: 'Ligar', phone }))).toEqual([
        { path: 'content.card.suggestions.0.phone', message: expect.any(String) },
      ]),
  );

  test('that is invalid is reported with its path, each of them', () => {
    const suggestions: RcsSuggestion[] = [
      { kind: 'reply', label: 'Sim' },
      { kind: 'openUrl', label: 'Ver', url: 'x' },
      { kind: 'call', label: 'Ligar', phone: 'x' },
    ];
    const body = { content: { card: card({ fileUrl: 'http://x', suggestions }) } };
    expect(cardErrors(body).map(({ path }) => path)).toEqual([
      'content.card.fileUrl',
      'content.card.suggestions.1.url',
      'content.card.suggestions.2.phone',
    ]);
  });
});

describe('characters', () => {
  test.each([
    ['', 0],
    ['ação', 4],
    ['🙂', 1],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 5],
    ['e\u0301', 2],
  ])('of %j are %i: Unicode code points', (text, count) => expect(codePointLength(text)).toBe(count));

  test('limit every text of the contract; an emoji counts as one', () => {
    const accepts = (content: unknown, fallback?: unknown) =>
      SendRcs.safeParse({ to: '+5511999990005', route: 'easy_rcs', content, fallback }).success;
    const acceptsReply = (reply: { label: string; postback?: string }) =>
      accepts({ card: card({ suggestions: [{ kind: 'reply', ...reply }] }) });
    for (const one of ['a', '🙂'])
      for (const [max, write] of [
        [RCS_LIMITS.text, (text: string) => accepts({ text })],
        [RCS_LIMITS.title, (title: string) => accepts({ card: card({ title }) })],
        [RCS_LIMITS.description, (description: string) => accepts({ card: card({ description }) })],
        [RCS_LIMITS.label, (label: string) => acceptsReply({ label })],
        [RCS_LIMITS.postback, (postback: string) => acceptsReply({ label: 'L', postback })],
        [RCS_LIMITS.fallback, (text: string) => accepts({ text: 'a' }, { text })],
      ] as const)
        expect([1, max, max + 1, 0].map((length) => write(one.repeat(length)))).toEqual([true, true, false, false]);
  });
});

describe('the content as it is sent', () => {
  const shorten = (url: string) => `https://s.co/r/${Buffer.from(url).toString('hex').length}`;

  test('without tracking is that of the request, links included', () => {
    const suggestions: RcsSuggestion[] = [{ kind: 'openUrl', label: 'L', url: 'https://a.co' }];
    const content = { card: card({ fileUrl: 'https://c.co/a.png', suggestions }) };
    expect(prepareRcs({ content })).toEqual(content);
    expect(prepareRcs({ content: { text: 'Veja https://a.co.' } })).toEqual({ text: 'Veja https://a.co.' });
  });

  test('with tracking has short links in its text and its openUrl buttons, and nowhere else', () => {
    const url = 'https://a.co/x';
    const sent = card({
      title: url,
      description: url,
      fileUrl: 'https://c.co/a.png',
      suggestions: [
        { kind: 'openUrl', label: url, url },
        { kind: 'reply', label: 'L', postback: url },
        { kind: 'call', label: 'L', phone: '+551130001234' },
      ],
    });
    const prepared = prepareRcs({ content: { card: sent }, fallback: { text: url } }, shorten);
    const [first, ...others] = sent.suggestions ?? [];
    expect(prepared).toEqual({
      card: { ...sent, suggestions: [{ ...first, url: shorten(url) }, ...others] },
      fallback: { text: url, encoding: 'GSM-7' },
    });
    const { text } = prepareRcs({ content: { text: `Veja ${url}, ${url}` } }, shorten);
    expect(text).toBe(`Veja ${shorten(url)}, ${shorten(url)}`);
  });

  test('is invalid when its short links make the text too long', () => {
    const text = `${'a'.repeat(145)} https://a.co`;
    expect(lengthErrors(prepareRcs({ content: { text } }))).toEqual([]);
    const long = prepareRcs({ content: { text } }, () => 'https://short.example/r/t123456789');
    expect(lengthErrors(long).map(({ path }) => path)).toEqual(['content.text']);
  });

  test('has its fallback prepared as an SMS, with its encoding', () => {
    const fallbackOf = (text: string) => prepareRcs({ content: { text: 'x' }, fallback: { text } }).fallback;
    expect(fallbackOf('Olá, João! “Já saiu”')).toEqual({ text: 'Ola, Joao! "Ja saiu"', encoding: 'GSM-7' });
    expect(fallbackOf('Saiu 🙂')).toEqual({ text: 'Saiu 🙂', encoding: 'UCS-2' });
    const grown = prepareRcs({ content: { text: 'x' }, fallback: { text: `${'a'.repeat(RCS_LIMITS.fallback - 1)}…` } });
    expect(lengthErrors(grown).map(({ path }) => path)).toEqual(['fallback.text']);
  });

  test('has the fallback that an SMS of the same text would have', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const { text: prepared, encoding } = prepareText(text);
        const { fallback } = prepareRcs({ content: { text: 'x' }, fallback: { text } });
        expect(fallback).toEqual({ text: prepared, encoding });
      }),
    );
  });
});

test('the statuses of the interface cover every internal state once, a sending message as queued', () => {
  const states = (['queued', 'sent', 'delivered', 'read', 'failed'] as const).map(statesOf);
  expect(states[0]).toEqual(['queued', 'sending']);
  expect(new Set(states.flat()).size).toBe(states.flat().length);
});

test('the sandbox delivers by RCS to every ending without a documented outcome', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999 }), (ending) => {
      const digits = String(ending).padStart(4, '0');
      fc.pre(!['0006', '0008', '0013', '0018', '0021', '0025', '0099', '0114'].includes(digits));
      expect(rcs.sandbox(`+551199999${digits}`)).toEqual({
        kind: 'accepted',
        reports: [{ status: 'delivered', via: 'rcs' }],
      });
    }),
  );
});
