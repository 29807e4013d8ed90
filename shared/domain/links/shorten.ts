import type { Environment } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import { randomBase62 } from '../ids.ts';

/** Links that one message may have shortened: each is a row of the reservation, and a transaction holds 100. */
const MAX_LINKS = 50;

/** Collects the short links of one message. A code tells its stage by its first letter, since a link carries no credential. */
export const linkShortener = (publicUrl: string, env: Environment) => {
  const links: { code: string; url: string }[] = [];
  return {
    links: links as readonly { readonly code: string; readonly url: string }[],
    shorten: (url: string): string => {
      const code = `${env === 'test' ? 't' : 'l'}${randomBase62(9)}`;
      links.push({ code, url });
      return `${publicUrl}/r/${code}`;
    },
    /** Why they are too many; undefined when they are not. */
    refusal: (path: string): Refusal<'VALIDATION_ERROR'> | undefined =>
      links.length <= MAX_LINKS
        ? undefined
        : refuse('VALIDATION_ERROR', {
            detail: 'The message has too many links to track.',
            errors: [{ path, message: `must have at most ${MAX_LINKS} links when trackLinks is true` }],
          }),
  };
};
