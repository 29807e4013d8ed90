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
/** How long a job and its file are kept, from its creation, in ms. */
const FILE_MS = 7 * DAY_MS;
const KEEP_MS = 30 * DAY_MS;

/** A part of the file in the bucket: its number, and its version. */
export interface FilePart {
  readonly number: number;
  readonly etag: string;
}
/** The progress of a job. */
export interface ExportProgress {
  readonly rows: number;
  /** Bytes of the file so far. */
  readonly bytes: number;
  /** Where the next page starts; absent at the beginning. */
  readonly cursor?: string;
  /** True once all rows are in the parts and the tail. */
  readonly isWhole?: true;
  /** The multipart upload, once the file is large enough for one, and the number of its object. */
  readonly uploadId?: string;
  readonly file?: number;
  readonly parts: readonly FilePart[];
  /** The number of the object with the rest that is too small for a part; absent if there is none. */
  readonly tail?: number;
}

/** The exported messages; times in ms, both inclusive. */
export interface ExportedMessages {
  readonly channel: ExportChannel;
  readonly from: number;
  readonly to: number;
}

/** An export to a file, in steps, each claimed by one worker at a time. */
export interface ExportJob extends Tenant, ExportProgress, Partial<ExportedMessages>, ContactSource {
  readonly id: Id<'exportJob'>;
  /** An export of messages has these three fields, one of contacts none of them. */
  readonly kind: (typeof EXPORT_KINDS)[number];
  readonly format: ExportFormat;
  /** Whether its creator may see addresses in full. */
  readonly unmasked: boolean;
  readonly status: ExportStatus;
  readonly createdAt: number;
  readonly endedAt?: number;
  /** As in an import job. */
  readonly fence: number;
  readonly attempts: number;
  readonly claimedUntil: number;
}

type Named = Pick<ExportJob, 'id' | 'organizationId'>;
const folderOf = ({ organizationId, id }: Named): string => `exports/${organizationId}/${id}`;
/** The objects of a job, by numbers that are unique to a worker: its file, and the rest of a step. */
export const exportFileKey = (job: Named, number: number): string => `${folderOf(job)}/file-${number}`;
export const tailKey = (job: Named, number: number): string => `${folderOf(job)}/tail-${number}`;

/** The exported messages of a job; undefined for one of contacts. */
export const messagesOf = ({ channel, from, to }: ExportJob): ExportedMessages | undefined =>
  channel === undefined || from === undefined || to === undefined ? undefined : { channel, from, to };

/** When a job expires, in ms. */
export const exportGoneAt = ({ createdAt }: Pick<ExportJob, 'createdAt'>): number => createdAt + KEEP_MS;
/** Whether a caller may download the file of a job: full addresses need the permission to see them. */
export const isFileFor = (job: ExportJob, unmasked: boolean, now: number): boolean =>
  job.status === 'completed' && job.createdAt + FILE_MS > now && (unmasked || !job.unmasked);

/** A job as its caller sees it; `address` is the presigned address of its file, created at each read. */
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
