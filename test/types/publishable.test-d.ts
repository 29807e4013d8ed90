import { newId } from '../../shared/domain/core/ids.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';

/** Published work names its organization: a message without one would be a separate tenant of a fair queue. */
const message = { kind: 'send_message', ...KEYS.message(newId('message')) } as const;

export const theirs: Publishable = { ...message, owner: newId('organization') };
export const ours: Publishable = { ...message, owner: 'stage' };
// @ts-expect-error An owner is needed.
export const nobodys: Publishable = message;
// @ts-expect-error Only an organization owns work, or the stage.
export const another: Publishable = { ...message, owner: newId('message') };
