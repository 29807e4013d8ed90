import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { ContactSource } from './contact-source.ts';
import type { ExportChannel } from './export-row.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_KINDS = ['messages', 'contacts'] as const;
export const EXPORT_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** The longest window of a job. */
export const MAX_JOB_DAYS = 366;
const DAY_MS = 24 * 3_600_000;
/** How long the file of a job is there, and the job itself, from its creation, in ms. */
const FILE_MS = 7 * DAY_MS;
const KEEP_MS = 30 * DAY_MS;

/** A part of the file that is in the bucket: its number there, and its version. */
export interface FilePiece {
  readonly number: number;
  readonly etag: string;
}
/** How far a job has come. */
export interface ExportProgress {
  readonly rows: number;
  /** Bytes of the file until now. */
  readonly bytes: number;
  /** Where the next page begins; absent at the beginning. */
  readonly cursor?: string;
  /** That all rows are in the pieces, and the tail. */
  readonly isWhole?: true;
  /** The upload in parts, once the file is large enough for one, and the number that its object has. */
  readonly uploadId?: string;
  readonly file?: number;
  readonly pieces: readonly FilePiece[];
  /** The number of the object with what is too little for a piece; absent where nothing is left over. */
  readonly tail?: number;
}

/** Which messages are exported; times in ms, both inclusive. */
export interface ExportedMessages {
  readonly channel: ExportChannel;
  readonly from: number;
  readonly to: number;
}

/** An export into a file, in steps that are each taken by one worker at a time. */
export interface ExportJob extends Tenant, ExportProgress, Partial<ExportedMessages>, ContactSource {
  readonly id: Id<'exportJob'>;
  /** An export of messages has the three fields of these, one of contacts none of them. */
  readonly kind: (typeof EXPORT_KINDS)[number];
  readonly format: ExportFormat;
  /** Whether who created it may see addresses in full. */
  readonly unmasked: boolean;
  readonly status: ExportStatus;
  readonly createdAt: number;
  readonly endedAt?: number;
  /** As of an import. */
  readonly fence: number;
  readonly attempts: number;
  readonly claimedUntil: number;
}

type Named = Pick<ExportJob, 'id' | 'organizationId'>;
const folderOf = ({ organizationId, id }: Named): string => `exports/${organizationId}/${id}`;
/** The objects of a job, by a number that no other worker gives: its file, and what is left over of a step. */
export const exportFileKey = (job: Named, number: number): string => `${folderOf(job)}/file-${number}`;
export const tailKey = (job: Named, number: number): string => `${folderOf(job)}/tail-${number}`;

/** Which messages a job exports; undefined for one of contacts. */
export const messagesOf = ({ channel, from, to }: ExportJob): ExportedMessages | undefined =>
  channel === undefined || from === undefined || to === undefined ? undefined : { channel, from, to };

/** When a job is gone, in ms. */
export const exportGoneAt = ({ createdAt }: Pick<ExportJob, 'createdAt'>): number => createdAt + KEEP_MS;
/** Whether the file of a job is there for a caller: of addresses in full only for who may see them. */
export const isFileFor = (job: ExportJob, unmasked: boolean, now: number): boolean =>
  job.status === 'completed' && job.createdAt + FILE_MS > now && (unmasked || !job.unmasked);

/** A job as its caller sees it; `address` is where its file is, made anew at each read. */
export const exportJobView = ({
  job,
  address,
}: {
  readonly job: ExportJob;
  readonly address?: { readonly url: string; readonly expiresAt: number } | undefined;
}) => {
  const { id, kind, format, status, rows, bytes, unmasked, endedAt, listId, segmentId } = job;
  const messages = messagesOf(job);
  return {
    id,
    kind,
    ...(messages && { channel: messages.channel, from: isoTime(messages.from), to: isoTime(messages.to) }),
    ...definedFields({ listId, segmentId }),
    format,
    status,
    masked: !unmasked,
    createdAt: isoTime(job.createdAt),
    progress: { rows, bytes },
    ...definedFields({
      endedAt: endedAt === undefined ? undefined : isoTime(endedAt),
      url: address?.url,
      urlExpiresAt: address && isoTime(address.expiresAt),
    }),
  };
};

/** The event of a job that ended. */
export const exportEvent = (job: ExportJob, status: ExportStatus, now: number): DomainEvent => {
  const { organizationId, env, id, rows, format } = job;
  return newEvent({
    type: 'export.completed',
    organizationId,
    env,
    createdAt: now,
    data: { jobId: id, status, rows, format },
  });
};
