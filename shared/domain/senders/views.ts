import { isoTime } from '../core/time.ts';
import type { Sender } from './sender.ts';

/** A sender as its organization sees it. */
export const senderView = ({ id, channel, value, status, records, isDefault, createdAt }: Sender) => ({
  id,
  channel,
  value,
  status,
  ...(records ? { verification: { records: records.map((record) => ({ ...record })) } } : {}),
  isDefault,
  createdAt: isoTime(createdAt),
});
