import * as z from 'zod';
import {
  type ArchivedRow,
  archivedOn,
  archiveRows,
  eraseArchived,
  findArchived,
} from '../../../shared/domain/archive/archive-rows.ts';
import { MAX_ARCHIVE_DAYS, MIN_ARCHIVE_DAYS } from '../../../shared/domain/archive/days.ts';
import type { ArchiveId, ArchivePorts } from '../../../shared/domain/archive/ports.ts';
import type { Environment } from '../../../shared/domain/core/actor.ts';
import { parseAddress } from '../../../shared/domain/core/email-address.ts';
import type { Id } from '../../../shared/domain/core/ids.ts';
import { isId } from '../../../shared/domain/core/ids.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { rowOfImage, subjectToken } from '../../../shared/storage/archive/archivable-row.ts';
import { beginArchive } from '../../../shared/storage/archive/begin.ts';
import { archivePorts } from '../../../shared/storage/archive/ports.ts';
import { readBatch, readFailed } from '../../../shared/storage/archive/stream-records.ts';
import { contactSubjects } from '../../../shared/storage/archive/subjects.ts';
import { FAILED_PREFIX } from '../../constructs/archive-bucket.ts';
import { defineCommand, OperatorError, requireOrganization } from '../command.ts';
import { env, flag, id, organization, wholeNumber } from '../options.ts';
import type { Target } from '../target.ts';

const portsOf = (target: Target, stage: Environment): ArchivePorts =>
  archivePorts(target.tables[stage], target.archive(stage), () => target.vault(stage, 'archive'), Date.now);

/** The view of a row: with `whole` all of its attributes. */
const view = ({ kind, id: of, organizationId, createdAt, image }: ArchivedRow, whole: boolean) => ({
  kind,
  id: of,
  organizationId,
  createdAt: isoTime(createdAt),
  erased: image === undefined,
  ...(whole && image !== undefined ? { row: rowOfImage(image) } : {}),
});

const archiveGet = defineCommand({
  name: 'archive get',
  summary: 'Show an archived message or reply, with its opens and clicks',
  options: z.object({
    env,
    id: z
      .string()
      .refine((text) => isId('message', text) || isId('reply', text), 'must be the id of a message or a reply')
      .transform((text) => text as ArchiveId)
      .meta({ description: 'the message (msg_…) or reply (rpl_…)' }),
  }),
  run: async (target, { env: stage, id: wanted }) => {
    const items = await findArchived(portsOf(target, stage), wanted);
    if (items.length === 0) throw new OperatorError('The archive has nothing of that id.');
    return { data: { items: items.map((row) => view(row, true)) } };
  },
});

const archiveList = defineCommand({
  name: 'archive list',
  summary: 'List the archived rows of an organization that were created on a day',
  options: z.object({
    env,
    organization,
    day: z.iso.date({ error: 'must be a day, as 2026-03-02' }).meta({ description: 'the day (UTC), as 2026-03-02' }),
    whole: flag('with the contents of the rows'),
    limit: wholeNumber(1, 'rows at most (default 1000)').default(1000),
  }),
  run: async (target, { env: stage, organization: of, day, whole = false, limit }) => {
    const items: ReturnType<typeof view>[] = [];
    let more = false;
    for await (const rows of archivedOn(portsOf(target, stage), day, of)) {
      items.push(...rows.map((row) => view(row, whole)));
      more = items.length > limit;
      if (more) break;
    }
    return { data: { items: items.slice(0, limit), more } };
  },
});

const archiveBegin = defineCommand({
  name: 'archive begin',
  summary: 'Apply the setting to rows that were written before it (one pass over the table)',
  options: z.object({
    env,
    afterDays: wholeNumber(MIN_ARCHIVE_DAYS, 'the setting of the stage, archiveAfterDays').refine(
      (days) => days <= MAX_ARCHIVE_DAYS,
      `must be at most ${MAX_ARCHIVE_DAYS}`,
    ),
    again: flag('also rows that already have a time to live, as after another setting'),
    rowsPerSecond: wholeNumber(1, 'rows a second at most (default 500)').default(500),
  }),
  run: async (target, { env: stage, afterDays: archiveAfterDays, again = false, rowsPerSecond }) => {
    // Throws for a stage without an archive, where rows would expire permanently.
    target.archive(stage);
    const recipients = await target.vault(stage, 'recipients');
    const settings = { archiveAfterDays, again, rowsPerSecond, now: Date.now() };
    return { data: { ...(await beginArchive(target.tables[stage], recipients, settings)) } };
  },
});

interface Erased {
  readonly env: Environment;
  readonly organization: Id<'organization'>;
  readonly contact?: Id<'contact'> | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly everything?: boolean | undefined;
}

/** The subjects to erase, and the answer's warning of others that are not. */
interface Subjects {
  readonly subjects: readonly string[];
  readonly warning?: string;
}

/** The subject of a contact that is not stored: its id. Warns of the addresses that the operator has not named. */
const absentContact = (contact: Id<'contact'>, { phone, email, everything }: Erased): Subjects => {
  const unnamed = Object.entries({ '--phone': phone, '--email': email }).flatMap(([name, given]) =>
    given || everything ? [] : name,
  );
  return {
    subjects: [contact],
    ...(unnamed.length > 0
      ? {
          warning: `No such contact is stored: of it, only rows under its id are erased. Name its addresses with ${unnamed.join(' and ')}.`,
        }
      : {}),
  };
};

const subjectsOfContact = async (target: Target, named: Erased): Promise<Subjects> => {
  const { env: stage, organization: of, contact } = named;
  if (contact === undefined) return { subjects: [] };
  const found = await contactSubjects(target.tables[stage], of, contact);
  if (found === 'foreign') throw new OperatorError('The contact is of another organization.');
  return found === 'absent' ? absentContact(contact, named) : { subjects: found };
};

const subjectsOf = async (target: Target, named: Erased): Promise<Subjects> => {
  const { env: stage, organization: of, phone, email, everything } = named;
  const recipients = await target.vault(stage, 'recipients');
  const contact = await subjectsOfContact(target, named);
  const subjects = [
    ...contact.subjects,
    ...(phone === undefined ? [] : [recipients.blindIndex(of, 'phone', phone)]),
    ...(email === undefined ? [] : [recipients.blindIndex(of, 'email', email)]),
    ...(everything ? [''] : []),
  ];
  if (subjects.length === 0) throw new OperatorError('Name the subject: --contact, --phone, --email or --everything.');
  return { ...contact, subjects: [...new Set(subjects)] };
};

const archiveErase = defineCommand({
  name: 'archive erase',
  summary: 'Erase a person from the archive permanently, including rows that are archived later',
  options: z.object({
    env,
    organization,
    contact: id(
      'contact',
      'the contact (cnt_…), with its present phone and e-mail address; of a deleted one only its id',
    ).optional(),
    phone: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'must be a phone, as +5511987654321')
      .optional()
      .meta({ description: 'a phone (E.164)' }),
    email: z
      .string()
      .transform((text) => parseAddress(text) ?? '')
      .refine((address) => address !== '', 'must be an e-mail address')
      .optional()
      .meta({ description: 'an e-mail address' }),
    everything: flag('all of the organization'),
  }),
  run: async (target, chosen) => {
    await requireOrganization(target.tables[chosen.env], chosen.organization);
    // Their rows are not sealed yet.
    for await (const key of target.archive(chosen.env).list(FAILED_PREFIX))
      throw new OperatorError(`First archive the failed batches, such as ${key}: \`archive retry\`.`);
    const { subjects, ...warned } = await subjectsOf(target, chosen);
    const vault = await target.vault(chosen.env, 'archive');
    const tokens = subjects.map((subject) => subjectToken(vault, chosen.organization, subject));
    await eraseArchived(portsOf(target, chosen.env), tokens, Date.now());
    return {
      data: { erased: tokens.length, ...warned },
      note: 'Rows that are still in the table stay there until they are archived.',
    };
  },
});

const archiveRetry = defineCommand({
  name: 'archive retry',
  summary: 'Archive the batches that the archiver failed with, and remove their copies',
  options: z.object({ env }),
  run: async (target, { env: stage }) => {
    const [ports, bucket, vault] = [
      portsOf(target, stage),
      target.archive(stage),
      await target.vault(stage, 'archive'),
    ];
    const items: { batch: string; rows: number }[] = [];
    for await (const key of bucket.list(FAILED_PREFIX)) {
      const { rows, name } = readBatch(readFailed((await bucket.get(key)) ?? new Uint8Array()), vault);
      items.push({ batch: key, rows: await archiveRows(ports, rows, name) });
      await bucket.remove(key);
    }
    return { data: { items } };
  },
});

/** Commands for archived rows. */
export const ARCHIVE_COMMANDS = [archiveGet, archiveList, archiveBegin, archiveErase, archiveRetry];
