import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key } from '../client/row.ts';

type MakesKey = (...parts: never[]) => Key;

/** The rows that each kind of work item points to. Generic changes of their due time need write access to these partitions. */
const ROWS: Readonly<Record<WorkItem['kind'], readonly MakesKey[]>> = {
  send_message: [KEYS.message],
  fallback: [KEYS.fallback],
  recover_send: [KEYS.message],
  sandbox_outcome: [KEYS.message],
  apply_receipt: [KEYS.receipt, KEYS.earlyReceipts],
  publish_event: [KEYS.event],
  deliver_webhook: [KEYS.delivery],
  drain_backlog: [KEYS.webhook],
  send_chunk: [KEYS.batchChunk],
  close_escrow: [KEYS.batchChunk],
  abandon_upload: [KEYS.upload, KEYS.cardUpload],
  check_sender: [KEYS.sender],
  judge_destination: [KEYS.destinationCounts],
  check_lanes: [KEYS.wallet],
  send_push: [KEYS.message, KEYS.pushChunk],
  mail_sign_in: [KEYS.linkRequest],
  index_contacts: [KEYS.changedContact],
  index_companies: [KEYS.changedCompany],
  segment_members: [KEYS.audienceMembers, KEYS.segmentSweep],
  clean_up: [KEYS.listEdit, KEYS.tombstone, KEYS.emailAddress],
  count_list: [KEYS.listCounting],
  erase_contact: [KEYS.erasure, KEYS.merge],
  run_job: [KEYS.importJob, KEYS.exportJob],
  tell_activity: [KEYS.activity],
  check_cards: [KEYS.card, KEYS.pipeline],
  run_journey: [KEYS.run],
  journey_signal: [KEYS.runSignal, KEYS.customerEvent, KEYS.message, KEYS.taggedContact],
  journey_work: [KEYS.journeyEntries, KEYS.journeySweep, KEYS.listJoin],
  campaign_work: [KEYS.campaign, KEYS.campaignPortion],
  smpp_parts: [KEYS.smppParts],
  reply_parts: [KEYS.replyParts],
  smpp_watch: [KEYS.smppWatch],
};

/** The text before the first variable part of a partition key. */
const prefixOf = (make: MakesKey): string => {
  const { pk } = (make as (...parts: readonly string[]) => Key)('', '', '');
  return pk.slice(0, pk.indexOf('#') + 1);
};

/** Whether a row is one that this kind of work is about. */
export const isRowOf = ({ kind, pk }: WorkItem): boolean => ROWS[kind].some((make) => pk.startsWith(prefixOf(make)));

/** The key of a work item's row. Throws a TypeError for a row that doesn't belong to this kind. */
export const rowKey = (item: WorkItem): Key => {
  if (isRowOf(item)) return { pk: item.pk, sk: item.sk };
  throw new TypeError(`not a row of ${item.kind}`);
};
