import type { Environment } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { linkAddress, newLinkCode } from './short-link.ts';

/** Max. tracked links per message: each is a row of the reservation, and a DynamoDB transaction holds 100. */
const MAX_LINKS = 50;

/** Creates and collects the short links of one message. */
export const linkShortener = (publicUrl: string, env: Environment) => {
  const links: { code: string; url: string }[] = [];
  return {
    links: links as readonly { readonly code: string; readonly url: string }[],
    shorten: (url: string): string => {
      const code = newLinkCode(env);
      links.push({ code, url });
      return linkAddress(publicUrl, code);
    },
    /** A refusal if there are more than MAX_LINKS, else undefined. */
    refusal: (path: string): Refusal<'VALIDATION_ERROR'> | undefined =>
      links.length <= MAX_LINKS
        ? undefined
        : refuse('VALIDATION_ERROR', {
            detail: 'The message has too many links to track.',
            errors: [{ path, message: `must have at most ${MAX_LINKS} links when trackLinks is true` }],
          }),
  };
};
