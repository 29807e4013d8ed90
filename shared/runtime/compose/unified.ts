import type { EmailContent } from '../../domain/email/content.ts';
import { type ChainPorts, goOn } from '../../domain/messages/chain.ts';
import { type LeavePorts, leave } from '../../domain/messages/leave.ts';
import type { PreviewPorts } from '../../domain/messages/overview.ts';
import type { SubmitPorts } from '../../domain/messages/submit.ts';
import type { DueHint } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { chainStore } from '../../storage/chains.ts';
import { contactRecipient } from '../../storage/consent.ts';
import { queuedStore } from '../../storage/queued.ts';
import { roomOfNumber } from './numbers-rate.ts';
import { planners } from './planners.ts';
import { clock, publishDue, table } from './platform.ts';
import { quotePorts } from './quote.ts';
import { sealer, sendPorts } from './send.ts';
import { leavesAt } from './settings.ts';
import { foreseen, standing } from './standing.ts';
import { suppressed } from './suppression.ts';

const secondsUntil = (at: number) => Math.max(0, (at - clock()) / 1000);
const hintSend = (messageId: string, at: number) =>
  publishDue([{ kind: 'send_message', ...KEYS.message(messageId) }], secondsUntil(at));

const hintChain = (id: string, at: number) => publishDue([{ kind: 'fallback', ...KEYS.chain(id) }], secondsUntil(at));

/** What unified sends need. */
export const unifiedPorts: SubmitPorts = {
  ...sendPorts,
  ...standing,
  planners,
  hintSend,
  hintChain,
  recipientOf: ({ organizationId }, contactId, channel) => contactRecipient(table, organizationId, contactId, channel),
};

/** What their previews need. No transaction of a preview proves the volume that it is priced by, so it is read. */
export const previewPorts: PreviewPorts = {
  ...unifiedPorts,
  volume: quotePorts.volume,
  foreseen,
};

const queued = queuedStore(table, sealer);

/** What sending a queued message needs. */
export const leavePorts: LeavePorts = {
  ...sendPorts,
  ...queued,
  contentOf: async (message) => {
    const { channel, organizationId, toHash } = message;
    if (channel !== 'email') return queued.contentOf(message);
    const held = suppressed(organizationId, () => toHash);
    const content = await queued.contentOf(message);
    return content === undefined ? undefined : { ...(content as EmailContent), suppressed: held };
  },
  mayLeaveAt: ({ organizationId, channel }, now) => leavesAt(organizationId, channel, now),
  numberRoom: roomOfNumber,
  hintSend,
};

const chainPorts: ChainPorts = {
  ...sendPorts,
  ...chainStore(table, sealer),
  plan: (chain, hop, key, hash) => planners[hop.channel](chain, hop, key, hash),
  hintSend,
  hintChain,
};

const idOf = (key: string) => key.slice(key.indexOf('#') + 1);

/** Sends a queued message whose time has come, or goes on with a chain. Repeats and any order change nothing. */
export const sendWork = ({ kind, pk }: DueHint): Promise<void> =>
  kind === 'fallback' ? goOn(chainPorts, idOf(pk)) : leave(leavePorts, idOf(pk));
