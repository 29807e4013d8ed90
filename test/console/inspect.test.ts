import { expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { inspect, startConsole } from './kit.ts';

const service = await use(startConsole());

/** Rules for styles, which the policy of the console lets scripts set. */
const styled = (rules: string) => `
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(${JSON.stringify(rules)});
  document.adoptedStyleSheets.push(sheet);
`;
const PICTURE =
  "document.querySelector('main').append(Object.assign(new Image(1, 1), { src: 'data:,', id: 'picture' }));";
const FAULTS = {
  'a colour of the first theme': [
    'light',
    'color-contrast',
    styled("[data-mantine-color-scheme='light'] h1 { color: #eee; }"),
  ],
  'a colour of the second theme': [
    'dark',
    'color-contrast',
    styled("[data-mantine-color-scheme='dark'] h1 { color: #222; }"),
  ],
  'a picture without a text': ['light', 'image-alt', PICTURE],
  'a picture without a text that the second theme shows': [
    'dark',
    'image-alt',
    `${PICTURE} ${styled("[data-mantine-color-scheme='light'] #picture { display: none; }")}`,
  ],
} as const;
const NAMES = Object.keys(FAULTS) as (keyof typeof FAULTS)[];

test.each(NAMES)('the analysis of a page finds %s', async (name) => {
  const [scheme, id, script] = FAULTS[name];
  const page = await service.open();
  await page.goto('/console/');
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await page.evaluate(script);
  const finding = await inspect(page, 'faulty').catch((error: unknown) => error);
  expect(finding).toMatchObject({ message: expect.stringContaining(`faulty, ${scheme}`), actual: [{ id }] });
});
