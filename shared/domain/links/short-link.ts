import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** A short link, stored with its message. */
export interface ShortLink extends Tenant {
  readonly code: string;
  /** The original URL. */
  readonly url: string;
  readonly messageId: Id<'message'>;
  readonly clicks: number;
}
