import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import { loadAllProviders } from '../../shared/providers/index.ts';
import { networkIo } from '../support/providers/io.ts';
import { blocksOf, readPage } from './commands.ts';

const PAGE = readPage('docs/providers.md');
const SECTIONS = new Map(
  PAGE.split(/^## /m).map((section) => [/^.*\(`(\w+\/\w+)`\)/.exec(section)?.[1] ?? section.split('\n')[0], section]),
);
const REGISTERED = await loadAllProviders();
const io = networkIo(Date.now);

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}
const shown = (value: unknown) =>
  value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
/** A row for each setting of a schema; nested settings follow theirs. */
const rowsOf = ({ properties = {}, required = [], oneOf = [] }: Schema, above = ''): string[] => [
  ...Object.entries(properties).flatMap(([name, property]) => {
    const needed = required.includes(name) ? 'yes' : '';
    const row = `| \`${above}${name}\` | ${needed} | ${shown(property.const ?? property.default)} | ${(property.description ?? '').replaceAll('<', '&lt;')} |`;
    return [row, ...rowsOf(property, `${above}${name}.`)];
  }),
  ...oneOf.flatMap((variant) => rowsOf(variant, above)),
];

describe('docs/providers.md', () => {
  test('has a section for every adapter', () => {
    for (const { channel, name } of REGISTERED) expect([...SECTIONS.keys()]).toContain(`${channel}/${name}`);
  });

  describe.each(REGISTERED)('on $channel/$name', ({ channel, name, settingsSchema, open }) => {
    const section = SECTIONS.get(`${channel}/${name}`) ?? '';

    test('shows valid settings', () => {
      const examples = blocksOf(section, 'json').map((block) => JSON.parse(block) as unknown);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(settingsSchema.safeParse(example).error).toBeUndefined();
    });

    test('lists each setting with the default and description of the code', () => {
      const rows = rowsOf(z.toJSONSchema(settingsSchema, { io: 'input' }) as Schema);
      expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
    });

    test('lists the URLs of its callbacks', () => {
      const kinds = channel === 'sms' ? ['receipts', 'replies'] : [channelOf(channel).callbackKinds[0]];
      for (const kind of kinds) expect(section).toContain(`POST {PUBLIC_URL}/callbacks/${name}/${kind}`);
    });

    test('says whether the provider has a status query', () => {
      const provider = open(JSON.parse(blocksOf(section, 'json')[0] ?? '{}'), io);
      expect(/\*\*Status query\*\*: (yes|none)/.exec(section)?.[1]).toBe(provider.queryStatus ? 'yes' : 'none');
    });
  });

  /** A constant of the code, and its sentence on the page. */
  const NUMBERS: readonly [file: string, constant: RegExp, sentence: (value: number) => string][] = [
    [
      'shared/storage/due-work/breakers.ts',
      /TRIP_AFTER = ([\d_]+)/,
      (count) => `After ${count} in a row in one process, or ${count} within`,
    ],
    ['shared/storage/due-work/breakers.ts', /REST_MS = ([\d_]+)/, (ms) => `the breaker opens for ${ms / 1000} s`],
    [
      'shared/storage/due-work/breakers.ts',
      /TRUST_MS = ([\d_]+)/,
      (ms) => `all processes see it within ${ms / 1000} s`,
    ],
    ['shared/providers/routing.ts', /SETTINGS_TTL_MS = ([\d_]+)/, (ms) => `take effect within ${ms / 1000} s`],
    ['shared/domain/sending/dispatch.ts', /MIN_CALL_WINDOW_MS = ([\d_]+)/, (ms) => `less than ${ms / 1000} s are left`],
    [
      'shared/domain/sending/dispatch.ts',
      /STATUS_QUERY_DELAY_MS = ([\d_]+)/,
      (ms) => `is queried after ${ms / 1000} s`,
    ],
    ['shared/domain/sending/recover.ts', /MAX_RECEIPT_WAIT_MS = ([\d_]+)/, (ms) => `within ${ms / 1000} s of the send`],
    [
      'shared/wiring/process/config.ts',
      /SEND_DEADLINE_SECONDS: .*default\((\d+)\)/,
      (seconds) => `(${seconds} s after it was accepted)`,
    ],
  ];
  test.each(NUMBERS)('states the number of %s that %s finds', (file, constant, sentence) => {
    const value = Number(constant.exec(readPage(file))?.[1]?.replaceAll('_', ''));
    expect(PAGE.replaceAll(/\s+/g, ' ')).toContain(sentence(value));
  });
});
