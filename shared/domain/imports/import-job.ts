import type { OnConflict } from '../contacts/import-plan.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { Columns } from './columns.ts';
import type { Delimiter } from './csv-records.ts';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
export const IMPORT_STATUSES = [
  'awaiting_upload',
  'running',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** Limits of the file of a job: bytes and rows. */
export const MAX_FILE_BYTES = 200_000_000;
export const MAX_FILE_ROWS = 1_000_000;
/** Maximum size of a record, in bytes. */
export const MAX_RECORD_BYTES = 512 * 1024;
/** Maximum rows in the file of errors. */
export const MAX_LISTED_ERRORS = 100_000;

/** Why a job failed, as shown in its view. */
export const IMPORT_PROBLEMS = {
  bad_header: 'The file has no header, or its header is not CSV.',
  unknown_column: 'A column has the name of no field; rename it, or map the columns that are meant.',
  duplicate_column: 'Two columns fill the same field.',
  missing_column: 'A mapped column, or one for the phone, is not in the header.',
  too_many_columns: 'The header has more than 200 columns.',
  not_utf8: 'The file is not UTF-8; spreadsheets call it CSV UTF-8.',
  record_too_long: 'A line is longer than 512 KB.',
  too_many_rows: 'The file has more than 1,000,000 rows.',
  file_changed: 'The file was uploaded again while it was imported.',
  file_missing: 'The file is no longer there.',
  internal_error: 'The job could not continue. Imported rows are kept; import the rest with a new job.',
} as const;
export type ImportProblem = keyof typeof IMPORT_PROBLEMS;

/** Counts of rows by result; their sum is the number of rows read. */
export interface ImportFigures {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly ignored: number;
  readonly errors: number;
}
export const NO_FIGURES: ImportFigures = { rows: 0, created: 0, updated: 0, ignored: 0, errors: 0 };

/** The progress of a job in its file. */
export interface ImportProgress extends ImportFigures {
  /** The byte at which the next record starts, and its line in the file from 1. */
  readonly position: number;
  readonly line: number;
  /** The fields of a CSV's columns, and the separator; absent until its header is read. */
  readonly columns?: Columns;
  readonly delimiter?: Delimiter;
  /** The parts of the file of errors, by the fences of the claims that wrote them. */
  readonly errorParts: readonly number[];
}

/** An import of a file, in parts, each claimed by one worker at a time. */
export interface ImportJob extends Tenant, ImportProgress {
  readonly id: Id<'importJob'>;
  readonly format: ImportFormat;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly onConflict: OnConflict;
  /** Of the file, in bytes. */
  readonly size: number;
  readonly status: ImportStatus;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The version of the file with which the job started. */
  readonly etag?: string;
  readonly problem?: ImportProblem;
  /** The line of the problem, or the column of the header. */
  readonly problemAt?: number;
  /** Incremented by each claim of a part: a worker's writes are conditional on its own. */
  readonly fence: number;
  /** How many times the part at `position` was claimed. */
  readonly attempts: number;
  /** Until when a worker has the part, or no worker may retry it; ms. */
  readonly claimedUntil: number;
}

const DAY_MS = 24 * 3_600_000;
/** How long a job is kept while it awaits its file, and after it ended, in ms. */
const AWAITS_MS = 7 * DAY_MS;
const ENDED_MS = 30 * DAY_MS;
/** When a job expires, in ms; undefined while it runs. */
export const goneAt = ({ status, createdAt, endedAt }: Pick<ImportJob, 'createdAt' | 'endedAt' | 'status'>) => {
  if (status === 'awaiting_upload') return createdAt + AWAITS_MS;
  return endedAt === undefined ? undefined : endedAt + ENDED_MS;
};
/** Whether a job is still shown. */
export const isKept = (job: ImportJob, now: number): boolean => (goneAt(job) ?? Number.POSITIVE_INFINITY) > now;

export const isEnded = ({ status }: Pick<ImportJob, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

const folderOf = ({ organizationId, id }: Pick<ImportJob, 'organizationId' | 'id'>): string =>
  `imports/${organizationId}/${id}`;
/** The object keys of a job: the file, the errors of one part, and the complete file of errors. */
export const sourceKey = (job: Pick<ImportJob, 'organizationId' | 'id'>): string => `${folderOf(job)}/source`;
export const errorPartKey = (job: ImportJob, fence: number): string => `${folderOf(job)}/errors-${fence}`;
export const errorFileKey = (job: Pick<ImportJob, 'organizationId' | 'id'>): string => `${folderOf(job)}/errors.csv`;

/** A presigned address, created at each read. */
export interface SignedAddress {
  readonly url: string;
  readonly expiresAt: number;
}
/** The presigned address for uploading the file. */
export interface UploadAddress extends SignedAddress {
  readonly headers: Readonly<Record<string, string>>;
}

/** A job as its caller sees it, with the addresses that are available now. */
export const importJobView = ({
  job,
  upload,
  errorFile,
}: {
  readonly job: ImportJob;
  readonly upload?: UploadAddress | undefined;
  readonly errorFile?: SignedAddress | undefined;
}) => {
  const { id, status, format, mapping, onConflict, size, rows, created, updated, ignored, errors } = job;
  const { startedAt, endedAt, problem, problemAt } = job;
  return {
    id,
    status,
    format,
    onConflict,
    size,
    createdAt: isoTime(job.createdAt),
    progress: { rows, created, updated, ignored, errors, bytes: job.position },
    ...definedFields({
      mapping: mapping && { ...mapping },
      ...definedTimes({ startedAt, endedAt }),
      upload: upload && {
        url: upload.url,
        method: 'PUT' as const,
        headers: { ...upload.headers },
        expiresAt: isoTime(upload.expiresAt),
      },
      errorFile: errorFile && { url: errorFile.url, expiresAt: isoTime(errorFile.expiresAt) },
      problem: problem && {
        code: problem,
        detail: IMPORT_PROBLEMS[problem],
        ...definedFields({ at: problemAt }),
      },
    }),
  };
};

/** The event of a job that ended, with its counts. */
export const importEvent = (job: ImportJob, now: number): DomainEvent => {
  const { organizationId, env, id, status, rows, created, updated, ignored, errors } = job;
  const data = { jobId: id, status, rows, created, updated, ignored, errors };
  return newEvent({ type: 'import.completed', organizationId, env, createdAt: now, data });
};
