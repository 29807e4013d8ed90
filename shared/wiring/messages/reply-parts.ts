import type { ReplyPartEvent } from '../../domain/message/provider-port.ts';
import type { EncodedText } from '../../domain/smpp/assemblies.ts';
import { type ReplyPartsPorts, takeReplyPart, workOnReplyParts } from '../../domain/smpp/reply-parts.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { isDataCoding } from '../../smpp/data-coding.ts';
import { joinWhatCame } from '../../smpp/parts.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { replyPartsStore } from '../../storage/smpp/reply-parts.ts';
import { table } from '../process/aws.ts';
import { smsReplyPorts, takeReply } from './sms-replies.ts';

const readText = (parts: readonly (EncodedText | undefined)[]): string =>
  joinWhatCame(
    parts.map((part) =>
      part && isDataCoding(part.coding) ? { coding: part.coding, bytes: Buffer.from(part.bytes, 'base64') } : undefined,
    ),
  );

const { clock, globalRecipientHash } = smsReplyPorts;
const ports: ReplyPartsPorts = {
  clock,
  globalRecipientHash,
  parts: replyPartsStore(table),
  readText,
  reply: takeReply,
};

/** Stores a part of a reply from a provider. */
export const replyPart = (provider: string, event: ReplyPartEvent) => takeReplyPart(ports, provider, event);

/** Processes a reply with missing parts, or one that a crashed process left. */
export const processReplyParts = (item: WorkItem): Promise<void> => workOnReplyParts(ports, PARSE_KEY.replyParts(item));
