import { createHash } from 'node:crypto';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import { isoTime } from '../core/time.ts';
import {
  type CardFile,
  type CardFilePorts,
  type CardUpload,
  fileIdOf,
  fileKeyOf,
  MAX_CARD_FILE_BYTES,
  MAX_CARD_FILES,
  uploadKeyOf,
} from './card-file.ts';
import { cardFileTypeOf, isOfType } from './file-types.ts';

/** Lifetime of the presigned addresses of an upload and of a download, and time to register an upload, in ms. */
const [UPLOAD_ADDRESS_MS, DOWNLOAD_MS, UPLOAD_MS] = [15 * 60_000, 5 * 60_000, 60 * 60_000];

const noCard = () => refuse('NOT_FOUND', 'There is no such card.');
const noFile = () => refuse('NOT_FOUND', 'There is no such file.');
const noUpload = () => refuse('NOT_FOUND', 'There is no such upload; it may have expired.');
const full = () =>
  refuse('CONFLICT', {
    detail: `The card has ${MAX_CARD_FILES} files, and may not have more.`,
    meta: { code: 'LIMITE_DE_ARQUIVOS', limite: MAX_CARD_FILES },
  });

/** Starts the upload of a file: returns the address to PUT it to (docs/spec/activities.md#files). */
export const beginCardUpload = async (
  ports: CardFilePorts,
  actor: Actor,
  cardId: Id<'card'>,
  { nome, mimeType: declared, tamanho }: { readonly nome: string; readonly mimeType: string; readonly tamanho: number },
) => {
  const { organizationId, accountId, credentialId } = actor;
  if (!(await ports.store.hasCard(organizationId, cardId))) return noCard();
  const mimeType = cardFileTypeOf(declared);
  if (!mimeType) return refuse('UNSUPPORTED_MEDIA_TYPE', 'No file of a card may have this type.');
  if (tamanho > MAX_CARD_FILE_BYTES)
    return refuse('PAYLOAD_TOO_LARGE', `A file has at most ${MAX_CARD_FILE_BYTES.toLocaleString('en-US')} bytes.`);
  const now = ports.clock();
  const upload: CardUpload = {
    id: newId('upload'),
    organizationId,
    cardId,
    name: nome,
    mimeType,
    size: tamanho,
    // Every session has an account.
    createdById: accountId ?? (credentialId as Id<'apiKey'>),
    createdAt: now,
    expiresAt: now + UPLOAD_MS,
  };
  // Stored before the address is returned, so that whatever is uploaded gets deleted.
  await ports.store.begin(upload);
  const address = await ports.bucket.presignUpload(upload, UPLOAD_ADDRESS_MS / 1000);
  return { uploadId: upload.id, method: 'PUT' as const, ...address, expiresAt: isoTime(now + UPLOAD_ADDRESS_MS) };
};

/** Logs a failure, which will be retried. */
const quietly = (ports: CardFilePorts, work: Promise<unknown>): Promise<unknown> =>
  work.catch(() => ports.onFailure('an object of a card could not be removed'));

/** The bytes of an upload if they match the declared size and type; otherwise they are deleted. */
const checkedBytes = async (
  ports: CardFilePorts,
  upload: CardUpload,
): Promise<Uint8Array | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const key = uploadKeyOf(upload);
  const object = await ports.bucket.read(key, upload.size);
  if (object === undefined) return refuse('CONFLICT', 'Nothing was uploaded to the address of this upload yet.');
  const isAgreed =
    object !== 'too_large' &&
    object.bytes.length === upload.size &&
    cardFileTypeOf(object.type) === upload.mimeType &&
    isOfType(object.bytes, upload.mimeType);
  if (isAgreed) return object.bytes;
  await quietly(ports, ports.bucket.remove(key));
  return refuseField(
    'The uploaded file does not match the upload: its type or its size differs.',
    'uploadId',
    'has bytes that do not match the upload',
  );
};

type RegisterRefusal = Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>;

/** The file that a concurrent call registered. */
const registered = async ({ store }: CardFilePorts, { organizationId, cardId, fileId }: CardUpload) =>
  (fileId && (await store.read(organizationId, cardId, fileId))) ?? noUpload();

/**
 * Registers an uploaded file with its card, after checking its bytes. They are moved to a key that no presigned address writes to, so that
 * the upload's address can't change them. A repeat returns the same file.
 */
export const registerCardFile = (
  ports: CardFilePorts,
  { organizationId }: Pick<Actor, 'organizationId'>,
  cardId: Id<'card'>,
  uploadId: Id<'upload'>,
): Promise<CardFile | RegisterRefusal> =>
  retryOnConflict<CardFile | RegisterRefusal>('The upload', async () => {
    if (!(await ports.store.hasCard(organizationId, cardId))) return noCard();
    const upload = await ports.store.readUpload(uploadId);
    if (upload?.organizationId !== organizationId || upload.cardId !== cardId) return noUpload();
    if (upload.fileId) return registered(ports, upload);
    if (upload.isAbandoned || upload.expiresAt <= ports.clock()) return noUpload();
    const bytes = await checkedBytes(ports, upload);
    // A concurrent call may have registered it and moved the bytes meanwhile.
    if (isRefusal(bytes)) return (bytes.name === 'CONFLICT' && (await raced(ports, upload))) || bytes;
    const { expiresAt: _, fileId: __, isAbandoned: ___, ...described } = upload;
    const id = fileIdOf(upload);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file: CardFile = { ...described, id, sha256, createdAt: ports.clock() };
    await ports.bucket.put(fileKeyOf(upload, id), bytes, upload.mimeType);
    const outcome = await ports.store.register(upload, file);
    if (outcome === 'full') return full();
    if (outcome === 'gone') return CONFLICT;
    await quietly(ports, ports.bucket.remove(uploadKeyOf(upload)));
    return registered(ports, { ...upload, fileId: id });
  });

/** The file of an upload whose bytes were moved by a concurrent registration. */
const raced = async (ports: CardFilePorts, { id }: CardUpload): Promise<CardFile | undefined> => {
  const upload = await ports.store.readUpload(id);
  if (!upload?.fileId) return undefined;
  const file = await registered(ports, upload);
  return isRefusal(file) ? undefined : file;
};

/** A card's files, newest first. */
export const listCardFiles = async (
  { store }: Pick<CardFilePorts, 'store'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  cardId: Id<'card'>,
): Promise<{ readonly items: readonly CardFile[]; readonly total: number } | Refusal<'NOT_FOUND'>> => {
  const [hasCard, items] = await Promise.all([store.hasCard(organizationId, cardId), store.list(cardId)]);
  return hasCard ? { items, total: items.length } : noCard();
};

const findFile = async (
  { store }: Pick<CardFilePorts, 'store'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  cardId: Id<'card'>,
  fileId: Id<'cardFile'>,
): Promise<CardFile | Refusal<'NOT_FOUND'>> => {
  const [hasCard, file] = await Promise.all([
    store.hasCard(organizationId, cardId),
    store.read(organizationId, cardId, fileId),
  ]);
  return hasCard ? (file ?? noFile()) : noCard();
};

/** A presigned address that downloads a file, for five minutes. */
export const downloadCardFile = async (
  ports: CardFilePorts,
  actor: Pick<Actor, 'organizationId'>,
  { id, fileId }: { readonly id: Id<'card'>; readonly fileId: Id<'cardFile'> },
): Promise<{ readonly url: string; readonly expiresAt: string } | Refusal<'NOT_FOUND'>> => {
  const file = await findFile(ports, actor, id, fileId);
  if (isRefusal(file)) return file;
  const expiresAt = isoTime(ports.clock() + DOWNLOAD_MS);
  return { url: await ports.bucket.presignDownload(file, DOWNLOAD_MS / 1000), expiresAt };
};

/**
 * Deletes the stored data of an upload that can't be registered any more, then its row; while the row exists, a failed deletion is retried.
 */
const removeObjects = async (ports: Pick<CardFilePorts, 'bucket' | 'store'>, upload: CardUpload): Promise<void> => {
  await ports.bucket.remove(uploadKeyOf(upload));
  if (upload.isAbandoned) await ports.bucket.remove(fileKeyOf(upload, upload.fileId ?? fileIdOf(upload)));
  await ports.store.forget(upload);
};

/** Deletes a file with its bytes. */
export const deleteCardFile = (
  ports: CardFilePorts,
  actor: Pick<Actor, 'organizationId'>,
  { id: cardId, fileId }: { readonly id: Id<'card'>; readonly fileId: Id<'cardFile'> },
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The file',
    () => findFile(ports, actor, cardId, fileId),
    async (file) => {
      const { id: _, sha256: __, ...described } = file;
      const removal: CardUpload = {
        ...described,
        id: newId('upload'),
        fileId,
        isAbandoned: true,
        expiresAt: ports.clock(),
      };
      if (!(await ports.store.delete(file, removal))) return false;
      await quietly(ports, removeObjects(ports, removal));
      return true;
    },
  );

/** Deletes the remains of an expired upload, and the bytes of a deleted file. Idempotent. */
export const abandonCardUpload = async (
  ports: Pick<CardFilePorts, 'bucket' | 'clock' | 'store'>,
  id: Id<'upload'>,
): Promise<void> => {
  const upload = await ports.store.readUpload(id);
  if (!upload || (!upload.isAbandoned && upload.expiresAt > ports.clock())) return;
  if (upload.isAbandoned || upload.fileId) return removeObjects(ports, upload);
  if (await ports.store.abandon(upload)) await removeObjects(ports, { ...upload, isAbandoned: true });
};
