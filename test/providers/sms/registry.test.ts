import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { SMS_PROVIDERS } from '../../../shared/domain/sms/provider.ts';
import { SMS_PROVIDER_DECLARATIONS } from '../../../shared/providers/sms/index.ts';

interface Property {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly oneOf?: readonly Property[];
}
/** The paths of settings that say nothing of what they are for. */
const undescribed = ({ properties = {}, oneOf = [] }: Property, path = ''): string[] => [
  ...Object.entries(properties).flatMap(([name, property]) => [
    // A constant and the two routes say it by their names.
    ...(property.description || 'const' in property || path === '.messageTypes' ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]),
  ...oneOf.flatMap((each) => undescribed(each, path)),
];

it.each(SMS_PROVIDER_DECLARATIONS)('describes every setting of $name', ({ settingsSchema }) => {
  expect(undescribed(z.toJSONSchema(settingsSchema, { io: 'input' }) as Property)).toEqual([]);
});

it('knows each provider once, by a name of the wire', () => {
  const names = SMS_PROVIDER_DECLARATIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(SMS_PROVIDERS).toContain(name);
});

it('loads no AWS SDK until a text is sent by AWS, so that no other function pays for it', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (specifier, context, next) => (loaded.push(specifier), next(specifier, context)) });
    await import(${JSON.stringify(new URL('../../../shared/providers/sms/index.ts', import.meta.url).href)});
    console.log(JSON.stringify(loaded.filter((each) => /aws-sdk|smithy/.test(each))));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([]);
});
