import { maskBirthDate, maskCnpj, maskCpf } from '../core/documents.ts';
import type { Id } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import type { Contact } from './contact.ts';

/** A contact's documents by API name: the sealed attribute and the mask. */
const DOCUMENTS = {
  cpf: { sealed: 'cpfCipher', mask: maskCpf },
  cnpj: { sealed: 'cnpjCipher', mask: maskCnpj },
  nascimento: { sealed: 'birthDateCipher', mask: maskBirthDate },
} as const;
export type DocumentName = keyof typeof DOCUMENTS;
export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as DocumentName[];
export type SealedDocuments = Pick<Contact, 'birthDateCipher' | 'cnpjCipher' | 'cpfCipher'>;

const PURPOSE = 'contact-document';
/** Binds a sealed document to its contact and field, so it cannot be opened elsewhere. */
const aadOf = (contactId: Id<'contact'>, name: DocumentName) => `${contactId}#${name}`;

/** Seals parsed documents for one contact. Opens the vault only if there are any. */
export const sealDocuments = async (
  vault: () => Promise<Pick<Vault, 'seal'>>,
  { id, organizationId }: Pick<Contact, 'id' | 'organizationId'>,
  documents: Readonly<Partial<Record<DocumentName, string | null>>>,
): Promise<SealedDocuments> => {
  const sealed: Record<string, string> = {};
  for (const name of DOCUMENT_NAMES) {
    const text = documents[name];
    if (text !== undefined && text !== null)
      sealed[DOCUMENTS[name].sealed] = (await vault()).seal(PURPOSE, organizationId, text, aadOf(id, name));
  }
  return sealed;
};

const openDocument = (vault: Pick<Vault, 'open'>, contact: Contact, name: DocumentName): string | undefined => {
  const text = contact[DOCUMENTS[name].sealed];
  return text === undefined ? undefined : vault.open(PURPOSE, contact.organizationId, text, aadOf(contact.id, name));
};

/**
 * The sealed attributes that a change of documents sets; undefined ones are cleared. An unchanged document keeps its seal, so that a repeat
 * changes nothing. Opens the vault only if documents are given.
 */
export const changedDocuments = async (
  vault: () => Promise<Pick<Vault, 'open' | 'seal'>>,
  contact: Contact,
  documents: Readonly<Partial<Record<DocumentName, string | null>>>,
): Promise<SealedDocuments> => {
  const given = DOCUMENT_NAMES.filter((name) => documents[name] !== undefined);
  if (given.length === 0) return {};
  const opened = await vault();
  const changed = given.filter((name) => openDocument(opened, contact, name) !== (documents[name] ?? undefined));
  const cleared = Object.fromEntries(changed.map((name) => [DOCUMENTS[name].sealed, undefined]));
  const set = Object.fromEntries(changed.map((name) => [name, documents[name]]));
  return { ...cleared, ...(await sealDocuments(vault, contact, set)) };
};

/** Whether the contact has any document, i.e. whether the vault is needed at all. */
export const hasDocuments = (contact: Contact): boolean =>
  DOCUMENT_NAMES.some((name) => contact[DOCUMENTS[name].sealed] !== undefined);

/** A contact's documents in plain text. Throws BrokenSeal if one was altered or moved. */
export const clearDocuments = (vault: Pick<Vault, 'open'>, contact: Contact): Partial<Record<DocumentName, string>> => {
  const shown: Partial<Record<DocumentName, string>> = {};
  for (const name of DOCUMENT_NAMES) {
    const text = openDocument(vault, contact, name);
    if (text !== undefined) shown[name] = text;
  }
  return shown;
};

/**
 * A contact's documents, always masked, as the single read returns them (docs/spec/contacts.md#documents). Throws BrokenSeal if one was
 * altered or moved.
 */
export const maskedDocuments = (
  vault: Pick<Vault, 'open'>,
  contact: Contact,
): Partial<Record<DocumentName, string>> => {
  const shown = clearDocuments(vault, contact);
  for (const name of DOCUMENT_NAMES) {
    const text = shown[name];
    if (text !== undefined) shown[name] = DOCUMENTS[name].mask(text);
  }
  return shown;
};
