import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from './compare-documents.ts';

/** Where the released contract is kept. */
export const RELEASED_FILE = join(import.meta.dirname, '../released/contract.json');

/** The contract of the version of the SDK that was released last. */
export interface Released extends Contract {
  readonly version: string;
}

/** What is for readers: it changes no client. */
const FOR_READERS: ReadonlySet<string> = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'tags',
  'default',
  'headers',
]);

/** A copy without what is for readers. Names of fields are data: a field may be called `description`. */
const withoutTexts = (value: unknown, isNames = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNames || !FOR_READERS.has(key))
      .map(([key, item]) => [
        key,
        withoutTexts(item, !isNames && ['properties', 'schemas', 'responses', 'webhooks'].includes(key)),
      ]),
  );
};

/** An object as JSON with a line for each entry of its entries, so that a difference shows what changed. */
const lines = (value: object, depth: number): string => {
  if (depth === 0) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) =>
      `${JSON.stringify(key)}: ${typeof item === 'object' ? lines(item as object, depth - 1) : JSON.stringify(item)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n}`;
};

/** The text of the file of a released contract. */
export const releasedText = (version: string, document: Contract): string => {
  const { paths, webhooks, components } = document;
  const { schemas, parameters, responses } = components;
  const kept = withoutTexts({ paths, webhooks, components: { schemas, parameters, responses } }) as object;
  return `${lines({ version, ...kept }, 3)}\n`;
};

/** The released contract. */
export const readReleased = (): Released => JSON.parse(readFileSync(RELEASED_FILE, 'utf8')) as Released;
