import { describe, expect, test } from 'vitest';
import { textFromHtml } from '../../shared/domain/channels/email/html-text.ts';
import { fillPlaceholders, invalidPlaceholderLine } from '../../shared/domain/channels/email/placeholders.ts';
import { prepareText } from '../../shared/domain/channels/sms/text.ts';
import { UploadReader } from '../../shared/domain/channels/whatsapp/media/upload-reader.ts';
import { parseCnpj, parseCpf } from '../../shared/domain/core/documents.ts';
import { parseAddress, parseMailbox, subjectError } from '../../shared/domain/core/email-address.ts';
import { parsePhone } from '../../shared/domain/core/phone.ts';
import { checkEndpoint } from '../../shared/domain/core/public-address.ts';
import { findLinks } from '../../shared/domain/links/find.ts';
import { fill } from '../../shared/domain/personalization/fill.ts';
import { compile, isTemplateFault } from '../../shared/domain/personalization/template.ts';
import { checkHeaders } from '../../shared/domain/webhooks/headers.ts';
import { shareOf } from '../support/share.ts';

const LENGTH = 10_000;
/** Long runs that almost match: what makes backtracking patterns slow. */
const ALMOST = [
  'a'.repeat(LENGTH),
  `${'a'.repeat(LENGTH)}!`,
  'http://'.repeat(LENGTH / 7),
  `https://${'a.'.repeat(LENGTH / 2)}`,
  `https://a/${'('.repeat(LENGTH)}`,
  `https://a/${').,'.repeat(LENGTH / 3)}`,
  `https://a/${',!a2.http:/'.repeat(LENGTH / 11)}`,
  `+${'5'.repeat(LENGTH)}`,
  '1.'.repeat(LENGTH / 2),
  ' '.repeat(LENGTH),
  '😀'.repeat(LENGTH / 2),
  'e\u0301'.repeat(LENGTH / 2),
  '{{'.repeat(LENGTH / 2),
  '{{contact.name}}'.repeat(LENGTH / 16),
  `{{event.a|${' '.repeat(LENGTH - 10)}`,
];
/** CPU time of this process, in ms: unlike the clock it does not count other processes. */
const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
/** The least CPU time of three runs, in ms. */
const costOf = (work: () => unknown): number => Math.min(cpuMs(work), cpuMs(work), cpuMs(work));
const personalized = (text: string): unknown => {
  const parts = compile(text);
  return isTemplateFault(parts) ? parts : fill(parts, { contact: { name: text.slice(0, 200) } }, { escape: 'html' });
};
const MATCHERS: Readonly<Record<string, (text: string) => unknown>> = {
  personalized,
  prepareText,
  findLinks,
  parsePhone,
  parseCpf,
  parseCnpj,
  checkEndpoint: (text) => checkEndpoint(text, { allowLoopbackHttp: false }),
  checkHeaders: (text) => checkHeaders([{ key: text, value: text }]),
};

test.each(Object.entries(MATCHERS))(
  'parsers of untrusted text %s takes under 50 ms for 10,000 characters that almost match',
  (_, matcher) => {
    for (const text of ALMOST) {
      matcher(text);
      expect(costOf(() => matcher(text))).toBeLessThan(50);
    }
  },
);

const GROWTH = 8;
/** How often the longer text is read before anything is measured: until then Node compiles what is read often, in up to ten times as long. */
const WARM_UPS = 3;
/** The allowed cost of 8 times the input: above 8 times, which is linear, and below 64 times, which is quadratic. */
const MAX_GROWTH = 24;

/** The part of a length that is read at least, whatever the share: collecting garbage decides the quotient of shorter ones. */
const LEAST_SHARE = 0.25;

type Text = (length: number) => string;
/** A unit repeated to a length in characters. */
const run =
  (unit: string): Text =>
  (length) =>
    unit.repeat(Math.ceil(length / unit.length));
/** A unit repeated a number of times. */
const times =
  (unit: string): Text =>
  (length) =>
    unit.repeat(length);
const afterLink =
  (text: Text): Text =>
  (length) =>
    `https://a.com/${text(length)}`;

interface Reader {
  readonly length: number;
  readonly work: (text: string) => unknown;
  readonly texts: readonly Text[];
}
/** Parsers of long untrusted texts, with runs that could make each slow. */
const READERS: Readonly<Record<string, Reader>> = {
  prepareText: {
    length: 100_000,
    work: (text) => prepareText(`a${text}`),
    texts: ['\u0323\u0301', 'ã', '😀', '€'].map(run),
  },
  findLinks: {
    length: 200_000,
    work: findLinks,
    texts: [
      ...['http://', 'h', 'https://a.com ', 'https://a.com,', '2.https://a.com|'].map(run),
      ...[',', '!', ',Blog', '!http', ',2.https:/', '+https://'].map((unit) => afterLink(run(unit))),
      afterLink(times(')')),
      afterLink((length) => '('.repeat(length / 2) + ')'.repeat(length / 2)),
      afterLink((length) => `${'.'.repeat(length)}x${'.'.repeat(length)}`),
    ],
  },
  'addresses and subjects of e-mails': {
    length: 1_000_000,
    work: (text) => {
      parseAddress(text);
      parseAddress(`a@${text}`);
      parseMailbox(`"${text}" <a@b.co>`);
      subjectError(text);
    },
    texts: ['a', '.', '@', '-', 'a.', '"\\', '<', 'ä', '\\"'].map(times),
  },
  'placeholders of e-mails': {
    length: 1_000_000,
    work: (text) => {
      const declared = [{ name: 'nome', example: 'Ana' }, { name: 'pedido' }];
      fillPlaceholders(text, 'html', { declared, given: {} }, 1_000_000);
      invalidPlaceholderLine(text);
    },
    texts: ['{{', '{{a', '}}{{', '{', '{{ a }', '{{{}}'].map(run),
  },
  'html of e-mails': {
    length: 1_000_000,
    work: (text) => {
      textFromHtml(text);
      textFromHtml(`<a href="https://x.example">${text}</a>`);
    },
    texts: [
      '<div>',
      '<a>',
      '<a href="https://x.example">y',
      '<',
      '</',
      '<!--',
      '<!',
      '&',
      '&a',
      ' ',
      '<li>',
      '<td ',
      '<style>',
      '</style>',
      '<style></styl',
      '<a b="',
      "<a b='",
      '<a href=',
      '<p>a</p>',
      '<br>',
      'x<a',
      '<b x=y ',
      '\u00a0',
    ].map(run),
  },
  'base64 in escapes and short lines': {
    length: 64_000,
    work: (text) => {
      const reader = new UploadReader();
      reader.take(Buffer.from(`{"filename":"a","dataBase64":"${text}","mimeType":"b"}`));
      reader.end();
    },
    texts: ['\\u0041', 'AAAA\\n'].map(times),
  },
};

describe.each(Object.entries(READERS))('%s take linear time', (_, { length, work, texts }) => {
  const whole = shareOf(length, LEAST_SHARE);
  test.each(texts.map((text) => [JSON.stringify(text(24).slice(0, 40)), text] as const))(
    `over ${whole} of %s`,
    (_, text) => {
      const reading = (chars: number) => {
        const input = text(chars);
        return () => work(input);
      };
      const [longer, shorter] = [reading(whole), reading(whole / GROWTH)];
      for (let run = 0; run < WARM_UPS; run++) longer();
      // Below a millisecond the measurement itself is coarse.
      expect(costOf(longer)).toBeLessThan(MAX_GROWTH * Math.max(1, costOf(shorter)));
    },
  );
});
