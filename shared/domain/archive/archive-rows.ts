import { createHash } from 'node:crypto';
import { createVault } from '../core/secrets.ts';
import { isoTime } from '../core/time.ts';
import type { ArchivableRow, ArchiveId, ArchiveLine, ArchivePorts, SubjectKey } from './ports.ts';

const PURPOSE = 'archive';
const placeOf = ({ kind, id }: Pick<ArchivableRow, 'kind' | 'id'>): string => `${kind} ${id}`;

/** The vault of a row: it opens only while every one of its subjects still has the same key. */
const vaultOf = (secrets: readonly Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const secret of secrets) hash.update(secret);
  return createVault(hash.digest());
};

/** The key prefix of a day's objects; `day` has the form 2026-03-01. */
export const dayPrefix = (day: string): string => `archive/${day.replaceAll('-', '/')}/`;
const dayOf = ({ createdAt }: Pick<ArchivableRow, 'createdAt'>): string => isoTime(createdAt).slice(0, 10);

const newestOf = (rows: readonly ArchivableRow[]): Map<string, number> => {
  const newest = new Map<string, number>();
  for (const { subjects, createdAt } of rows)
    for (const token of subjects) newest.set(token, Math.max(createdAt, newest.get(token) ?? 0));
  return newest;
};

/** The sealed line of a row; undefined if its person was erased after the row was created. */
const lineOf = (row: ArchivableRow, known: ReadonlyMap<string, SubjectKey>): ArchiveLine | undefined => {
  const { kind, id, organizationId, createdAt, subjects: tokens, image } = row;
  const own = [...new Set(tokens)].sort().map((token) => ({ token, ...known.get(token) }));
  if (own.some(({ erasedAt = 0 }) => erasedAt >= createdAt)) return undefined;
  const keys = own.map(({ token, key }) => {
    if (!key) throw new Error('A subject of an archived row has no key.');
    return { token, keyId: key.id, secret: key.secret };
  });
  const sealed = vaultOf(keys.map(({ secret }) => secret)).seal(PURPOSE, organizationId, image, placeOf(row));
  const subjects = keys.map(({ token, keyId }) => ({ token, keyId }));
  return { kind, id, organizationId, createdAt, subjects, row: sealed };
};

/**
 * Archives rows that expired from the table: an object for each of their days, then the pointers that locate them. `batch` names the
 * objects, so that a repeat overwrites its own, wherever the first run crashed. Rows of an erased person are dropped. Returns the number of
 * rows written.
 */
export const archiveRows = async (
  ports: ArchivePorts,
  rows: readonly ArchivableRow[],
  batch: string,
): Promise<number> => {
  if (rows.length === 0) return 0;
  const known = await ports.keys.obtain(newestOf(rows));
  const lines = rows.flatMap((row) => lineOf(row, known) ?? []);
  for (const [day, own] of Map.groupBy(lines, dayOf)) {
    const object = `${dayPrefix(day)}${batch}.ndjson.gz`;
    await ports.objects.write(object, own);
    await ports.pointers.put(own.map(({ kind, id }) => ({ kind, id, object })));
  }
  await ports.followWith(rows);
  return lines.length;
};

/** A row of the archive; without `image` if it was erased. */
export interface ArchivedRow extends Omit<ArchivableRow, 'image' | 'subjects'> {
  readonly image?: string;
}

const openLine = (line: ArchiveLine, known: ReadonlyMap<string, SubjectKey>): ArchivedRow => {
  const { subjects, row, ...place } = line;
  const keys = subjects.map(({ token, keyId }) => {
    const key = known.get(token)?.key;
    return key?.id === keyId ? key.secret : undefined;
  });
  const secrets = keys.filter((key) => key !== undefined);
  if (secrets.length < keys.length) return place;
  return { ...place, image: vaultOf(secrets).open(PURPOSE, line.organizationId, row, placeOf(line)) };
};

/** Opens lines: each row once, however often it was archived. */
const openLines = async ({ keys }: ArchivePorts, lines: readonly ArchiveLine[]): Promise<ArchivedRow[]> => {
  const once = [...new Map(lines.map((line) => [placeOf(line), line])).values()];
  const tokens = new Set(once.flatMap(({ subjects }) => subjects.map(({ token }) => token)));
  const known = await keys.find([...tokens]);
  return once.map((line) => openLine(line, known));
};

/** All archived rows of an id: a message, with its opens and clicks. Throws BrokenSeal for a row that was altered. */
export const findArchived = async (ports: ArchivePorts, id: ArchiveId): Promise<ArchivedRow[]> => {
  const objects = new Set((await ports.pointers.find(id)).map(({ object }) => object));
  const lines = await Promise.all([...objects].map((key) => ports.objects.read(key)));
  return openLines(
    ports,
    lines.flatMap((each) => each ?? []).filter((line) => line.id === id),
  );
};

/** The rows of a day (2026-03-01, UTC), object by object, each once; `organizationId` limits them to one organization. */
export async function* archivedOn(
  ports: ArchivePorts,
  day: string,
  organizationId?: string,
): AsyncGenerator<readonly ArchivedRow[]> {
  const seen = new Set<string>();
  const isNew = (line: ArchiveLine): boolean => {
    const before = seen.size;
    return seen.add(placeOf(line)).size > before;
  };
  for await (const key of ports.objects.list(dayPrefix(day))) {
    const lines = (await ports.objects.read(key)) ?? [];
    const own = lines.filter((line) => organizationId === undefined || line.organizationId === organizationId);
    // A stream batch that is redelivered in different pieces creates different objects.
    yield openLines(ports, own.filter(isNew));
  }
}

/**
 * Erases subjects from the archive: their keys are deleted, so that no copy of an object can be opened for their rows; rows up to `at` (ms)
 * that leave the table later are not archived. Idempotent, and safe while an archiver runs.
 */
export const eraseArchived = async (
  { keys }: Pick<ArchivePorts, 'keys'>,
  tokens: readonly string[],
  at: number,
): Promise<void> => void (await Promise.all(tokens.map((token) => keys.erase(token, at))));
