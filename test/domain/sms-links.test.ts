import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLinks, replaceLinks } from '../../shared/domain/links/find.ts';

const urls = (text: string) => findLinks(text).map(({ url }) => url);

describe('a link', () => {
  it.each([
    ['alone', 'https://a.com/x', ['https://a.com/x']],
    ['in a sentence', 'Veja https://a.com/x.', ['https://a.com/x']],
    ['before several marks', 'Viu https://a.com/x?!...', ['https://a.com/x']],
    ['with a query and a fragment', 'http://a.com/?q=1&b=2,3#x', ['http://a.com/?q=1&b=2,3#x']],
    ['in brackets', '(https://a.com/x)', ['https://a.com/x']],
    ['in brackets before a full stop', '(veja [https://a.com/x]).', ['https://a.com/x']],
    ['with brackets of its own', 'https://a.com/x_(y)', ['https://a.com/x_(y)']],
    ['with its own brackets, in brackets', '(https://a.com/x_(y)).', ['https://a.com/x_(y)']],
    [
      'in quotes',
      '"https://a.com" “https://b.com” \'https://c.com\' <https://d.com>',
      ['https://a.com', 'https://b.com', 'https://c.com', 'https://d.com'],
    ],
    ['after a colon or a bracket', 'Site:https://a.com', ['https://a.com']],
    ['in capitals', 'HTTPS://A.COM/X', ['HTTPS://A.COM/X']],
    ['with an accented host', 'https://ação.com.br/promoção', ['https://ação.com.br/promoção']],
    [
      'up to a hard space, a line or an invisible character',
      'https://a.com\u00a0b https://b.com\nc https://c.com\u200bd',
      ['https://a.com', 'https://b.com', 'https://c.com'],
    ],
    ['next to an emoji', '👉https://a.com 👈', ['https://a.com']],
    ['after its number', '1.https://a.com/x,2.https://b.com/y', ['https://a.com/x', 'https://b.com/y']],
    ['after its name', 'Loja:https://a.com/x;Blog:https://b.com/y', ['https://a.com/x', 'https://b.com/y']],
    ['after a full stop or a dash', 'Veja.https://a.com -https://b.com', ['https://a.com', 'https://b.com']],
    ['between commas', 'https://a.com,https://b.com,', ['https://a.com', 'https://b.com']],
    ['with another one in its query', 'https://a.com/?to=https://b.com/x', ['https://a.com/?to=https://b.com/x']],
    ['with another one in its text', 'https://a.com/?text=Oi:https://b.com', ['https://a.com/?text=Oi:https://b.com']],
    ['with another one in its path', 'https://a.com/w,h/https://b.com/x', ['https://a.com/w,h/https://b.com/x']],
    ['with commas of its own', 'https://a.com/@-23.5,-46.6,15z', ['https://a.com/@-23.5,-46.6,15z']],
    ['with a port and an IP', 'http://10.0.0.1:8080/a', ['http://10.0.0.1:8080/a']],
  ])('is found %s', (_, text, found) => expect(urls(text)).toEqual(found));

  it.each([',', ';', '|', '、', '.', '!', '-', '*', '👉', '❤️', '...', ')(', ']('])(
    'ends before %s and the next one',
    (mark) => {
      expect(urls(`https://a.com${mark}https://b.com`)).toEqual(['https://a.com', 'https://b.com']);
      expect(urls(`https://a.com/x${mark}https://b.com/y`)).toEqual(['https://a.com/x', 'https://b.com/y']);
    },
  );

  it.each([
    'ftp://a.com',
    'www.a.com',
    'a.com/x',
    'https://',
    'https://.',
    'https:// a.com',
    'http://[',
    'svn+https://a.com',
    'mailto:a@b.c',
  ])('is not found in %s', (text) => expect(urls(text)).toEqual([]));
});

describe('replacing', () => {
  it('puts one short link per occurrence and changes nothing else', () => {
    const text = 'A https://a.com, B (https://b.com/x) e https://a.com!';
    expect(replaceLinks(text, (_, index) => `https://s.co/${index}`)).toEqual({
      text: 'A https://s.co/0, B (https://s.co/1) e https://s.co/2!',
      links: [
        { url: 'https://a.com', short: 'https://s.co/0' },
        { url: 'https://b.com/x', short: 'https://s.co/1' },
        { url: 'https://a.com', short: 'https://s.co/2' },
      ],
    });
  });

  it.each([
    ['https://a.com,https://b.com', '0,1'],
    ['https://a.com/x|https://b.com/y', '0|1'],
    ['1.https://a.com/x,2.https://b.com/y', '1.0,2.1'],
    ['Loja:https://a.com;Blog:https://b.com!', 'Loja:0;Blog:1!'],
  ])('leaves what separates two links: %s', (text, expected) => {
    expect(replaceLinks(text, (_, index) => `${index}`).text).toBe(expected);
  });

  it('never interprets a replacement as a pattern', () => {
    expect(replaceLinks('https://a.com', () => '$&$1').text).toBe('$&$1');
  });

  it('returns the same text when each link is replaced by itself', () => {
    const marks = fc.constantFrom('https://', 'http://a.com', ')', '(', '.', ' ', '…', ',', '2.', '|');
    const anyText = fc.array(fc.oneof(fc.string({ unit: 'binary' }), marks)).map((all) => all.join(''));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(replaceLinks(text, (url) => url).text).toBe(text);
      }),
      { seed: 20_260_302, numRuns: 2_000 },
    );
  });
});
