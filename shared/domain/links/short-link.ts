import type { Environment, Tenant } from '../core/actor.ts';
import { type Id, randomBase62 } from '../core/ids.ts';

/** A short link, stored with its message. */
export interface ShortLink extends Tenant {
  readonly code: string;
  /** The original URL. */
  readonly url: string;
  readonly messageId: Id<'message'>;
  readonly clicks: number;
}

/** Following a link needs no credential, so the first letter of its code identifies the stage. */
const STAGE_LETTERS: Readonly<Record<Environment, string>> = { test: 't', live: 'l' };
const RANDOM_LENGTH = 9;
const CODES = new RegExp(
  `/r/([${Object.values(STAGE_LETTERS).join('')}][0-9A-Za-z]{${RANDOM_LENGTH}})(?![0-9A-Za-z])`,
  'g',
);

/** A new, unguessable code. */
export const newLinkCode = (env: Environment): string => `${STAGE_LETTERS[env]}${randomBase62(RANDOM_LENGTH)}`;
/** The URL of a code under the service's address. */
export const linkAddress = (publicUrl: string, code: string): string => `${publicUrl}/r/${code}`;
/** Candidate codes of short links in a text, without duplicates. */
export const linkCodesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(CODES)].flatMap(([, code]) => code ?? [])),
];
