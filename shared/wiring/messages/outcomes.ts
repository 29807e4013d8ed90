import type { Id } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { applyReceipt, applySandboxReport, type ReceiptPorts } from '../../domain/sending/apply-receipt.ts';
import { type RecoverPorts, recoverSend } from '../../domain/sending/recover.ts';
import { advanceSuppressing } from '../../domain/sending/suppression.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { readMessages } from '../../storage/messages/message-lists.ts';
import { receiptStore } from '../../storage/messages/receipts.ts';
import { isCardUpload, isEarlyReceipts, isEmailAddress, isTombstone, PARSE_KEY } from '../../storage/parse-key.ts';
import { suppressionPorts } from '../email/suppression.ts';
import { table } from '../process/aws.ts';
import { processEscrowItem } from '../sending/batches.ts';
import { sendPorts } from '../sending/ports.ts';

const ports: ReceiptPorts & RecoverPorts = {
  ...sendPorts,
  ...receiptStore(table),
  messageStore: {
    ...sendPorts.messageStore,
    advance: advanceSuppressing(sendPorts.messageStore.advance, suppressionPorts),
  },
};

type OutcomeKind =
  | 'abandon_upload'
  | 'apply_receipt'
  | 'check_cards'
  | 'check_sender'
  | 'check_lanes'
  | 'clean_up'
  | 'close_escrow'
  | 'count_list'
  | 'index_companies'
  | 'index_contacts'
  | 'erase_contact'
  | 'judge_destination'
  | 'recover_send'
  | 'reply_parts'
  | 'sandbox_outcome'
  | 'segment_members'
  | 'tell_activity';
type Prefetched = ReadonlyMap<Id<'message'>, MessageRecord>;

/** Processors of the outcome queue's work items; each is safe under repeats and reordering. */
const PROCESSORS: Readonly<Record<OutcomeKind, (item: WorkItem, prefetched: Prefetched) => Promise<void>>> = {
  sandbox_outcome: (item, prefetched) => {
    const id = PARSE_KEY.message(item);
    return applySandboxReport(ports, id, prefetched.get(id));
  },
  recover_send: (item) => recoverSend(ports, PARSE_KEY.message(item)),
  close_escrow: processEscrowItem,
  clean_up: async (item) => {
    if (isEmailAddress(item)) return (await import('../contacts/opt-out-contacts.ts')).processUnsubscribed(item);
    return isTombstone(item)
      ? (await import('../activities/clean-up.ts')).processTombstone(item)
      : (await import('../lists/lists.ts')).processCleanUp(item);
  },
  count_list: async (item) => (await import('./count-list.ts')).processListCounting(item),
  check_lanes: async (item) => (await import('../wallet/lanes.ts')).processLaneCheck(item),
  abandon_upload: async (item) =>
    isCardUpload(item)
      ? (await import('../activities/card-files.ts')).processAbandonedCardUpload(item)
      : (await import('../whatsapp/media.ts')).processAbandonedUpload(item),
  check_cards: async (item) => (await import('../pipelines/check-cards.ts')).processCardCheck(item),
  check_sender: async (item) => (await import('../senders/senders.ts')).processSenderCheck(item),
  index_contacts: async (item) => (await import('../audience/index-changes.ts')).processChangedContact(item),
  index_companies: async (item) => (await import('../companies/directory.ts')).processChangedCompany(item),
  segment_members: async (item) => (await import('../segments/members.ts')).processSegmentMembers(item),
  erase_contact: async (item) => (await import('../contacts/erase.ts')).processErasure(item),
  tell_activity: async (item) => (await import('../activities/activities.ts')).processDueActivity(item),
  judge_destination: async (item) => (await import('../sending/judge-destination.ts')).processJudgement(item),
  reply_parts: async (item) => (await import('./reply-parts.ts')).processReplyParts(item),
  apply_receipt: async (item) => {
    if (isEarlyReceipts(item)) return (await import('./early-receipts.ts')).processEarlyReceipts(item, ports);
    const { messageId, fingerprint } = PARSE_KEY.receipt(item);
    return applyReceipt(ports, messageId, fingerprint);
  },
};

const isOutcome = (kind: WorkItem['kind']): kind is OutcomeKind => kind in PROCESSORS;

const processItem = async (item: WorkItem, prefetched: Prefetched): Promise<void> => {
  if (!isOutcome(item.kind)) throw new TypeError('this kind of work has a queue of its own');
  await PROCESSORS[item.kind](item, prefetched);
};

/** Reads the messages of a batch's sandbox reports at once. None when that fails: each is then read on its own. */
const prefetch = async (workItems: readonly WorkItem[]): Promise<Prefetched> => {
  const outcomes = workItems.filter(({ kind }) => kind === 'sandbox_outcome');
  const read = async () => readMessages(table, outcomes.map(PARSE_KEY.message));
  const messages = outcomes.length > 1 ? await read().catch(() => []) : [];
  return new Map(messages.map((message) => [message.id, message]));
};

/** Processes a batch of work items; each fails on its own. */
export const processOutcomeItems = async (
  workItems: readonly WorkItem[],
): Promise<readonly PromiseSettledResult<void>[]> => {
  const prefetched = await prefetch(workItems);
  return Promise.allSettled(workItems.map((item) => processItem(item, prefetched)));
};
