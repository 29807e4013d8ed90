import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { SMS_PROVIDERS } from '../../shared/domain/channels/sms/content.ts';
import { loadAllProviders, loadProviders, PROVIDER_CHANNELS } from '../../shared/providers/index.ts';

interface Property {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly oneOf?: readonly Property[];
}
/** The paths of settings without a description. */
const undescribed = ({ properties = {}, oneOf = [] }: Property, path = ''): string[] => [
  ...Object.entries(properties).flatMap(([name, property]) => [
    // A constant and the two routes explain themselves.
    ...(property.description || 'const' in property || path === '.messageTypes' ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]),
  ...oneOf.flatMap((each) => undescribed(each, path)),
];

const REGISTERED = await loadAllProviders();

it.each(REGISTERED)('describes every setting of $channel/$name', ({ settingsSchema }) => {
  expect(undescribed(z.toJSONSchema(settingsSchema, { io: 'input' }) as Property)).toEqual([]);
});

it('has each provider of a channel once, under its channel and with a name of the interface', async () => {
  for (const channel of PROVIDER_CHANNELS) {
    const registered = await loadProviders(channel);
    expect(registered.map((each) => each.channel)).toEqual(registered.map(() => channel));
    const names = registered.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  }
  for (const { name } of await loadProviders('sms')) expect(SMS_PROVIDERS).toContain(name);
});

it('has no provider for a channel without one', async () => {
  expect(await loadProviders('push')).toEqual([]);
});

it('loads no AWS SDK before the first send through AWS, so that other functions start fast', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (specifier, context, next) => (loaded.push(specifier), next(specifier, context)) });
    const { loadAllProviders } = await import(${JSON.stringify(new URL('../../shared/providers/index.ts', import.meta.url).href)});
    await loadAllProviders();
    console.log(JSON.stringify(loaded.filter((each) => /aws-sdk|smithy/.test(each))));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([]);
});
