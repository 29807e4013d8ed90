import { describe, expect, test } from 'vitest';
import { parseCnpj, parseCpf } from '../../shared/domain/documents.ts';
import { findLinks } from '../../shared/domain/links/find.ts';
import { parsePhone } from '../../shared/domain/phone.ts';
import { prepareText } from '../../shared/domain/sms/text.ts';
import { checkEndpoint } from '../../shared/domain/webhooks/address.ts';
import { checkHeaders } from '../../shared/domain/webhooks/headers.ts';

const LENGTH = 10_000;
/** What makes backtracking matchers take forever: long runs that almost match. */
const ALMOST = [
  'a'.repeat(LENGTH),
  `${'a'.repeat(LENGTH)}!`,
  'http://'.repeat(LENGTH / 7),
  `https://${'a.'.repeat(LENGTH / 2)}`,
  `https://a/${'('.repeat(LENGTH)}`,
  `https://a/${').,'.repeat(LENGTH / 3)}`,
  `+${'5'.repeat(LENGTH)}`,
  '1.'.repeat(LENGTH / 2),
  ' '.repeat(LENGTH),
  '😀'.repeat(LENGTH / 2),
  'e\u0301'.repeat(LENGTH / 2),
];
const MATCHERS: Readonly<Record<string, (text: string) => unknown>> = {
  prepareText,
  findLinks,
  parsePhone,
  parseCpf,
  parseCnpj,
  checkEndpoint: (text) => checkEndpoint(text, { allowLoopbackHttp: false }),
  checkHeaders: (text) => checkHeaders([{ key: text, value: text }]),
};

describe('matchers of what strangers send', () => {
  test.each(Object.entries(MATCHERS))('%s takes under 50 ms for 10,000 characters that almost match', (_, matcher) => {
    for (const text of ALMOST) {
      matcher(text);
      const startedAt = process.cpuUsage();
      matcher(text);
      const { user, system } = process.cpuUsage(startedAt);
      expect((user + system) / 1000).toBeLessThan(50);
    }
  });
});
