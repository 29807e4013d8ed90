import type { Config } from './graph.ts';

const isRecord = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `criar.titulo`. */
export const valueAt = (config: Config, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), config);

/** The config with another value at a path; undefined takes it away, and with it what then holds nothing. */
export const withValueAt = (config: Config, path: string, value: unknown): Config => {
  const [name = '', ...rest] = path.split('.');
  const { [name]: present, ...others } = config;
  const next = rest.length === 0 ? value : withValueAt(isRecord(present) ? present : {}, rest.join('.'), value);
  const isGone = next === undefined || (rest.length > 0 && isRecord(next) && Object.keys(next).length === 0);
  if (isGone) return others;
  return name in config ? { ...config, [name]: next } : { ...others, [name]: next };
};

/** A value as typed by a person: a number, true or false, an empty text for null, a list of texts, or a text. */
export const parseValue = (text: string): unknown => {
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isList || typeof value === 'number' || typeof value === 'boolean' ? value : text;
  } catch {
    return text;
  }
};
/** The same, back as it is typed. */
export const writeValue = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Lines `name: value` as pairs; the value may hold colons. */
export const parsePairs = (text: string): readonly (readonly [string, string])[] =>
  text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    if (line.trim() === '') return [];
    return at < 0 ? [[line.trim(), ''] as const] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
