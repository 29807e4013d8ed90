import { maskBirthDate, maskCnpj, maskCpf } from '../documents.ts';
import type { Vault } from '../secrets.ts';
import type { Contact } from './contact.ts';

/** The documents of a contact: where each is sealed, and how it is shown. Keys are the names on the wire. */
const DOCUMENTS = {
  cpf: { sealed: 'cpfCipher', mask: maskCpf },
  cnpj: { sealed: 'cnpjCipher', mask: maskCnpj },
  nascimento: { sealed: 'birthDateCipher', mask: maskBirthDate },
} as const;
export type DocumentName = keyof typeof DOCUMENTS;
export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as DocumentName[];
export type SealedDocuments = Pick<Contact, 'birthDateCipher' | 'cnpjCipher' | 'cpfCipher'>;

const PURPOSE = 'contact-document';
/** A sealed document opens only as this document of this contact: moved to another row or field it is broken. */
const placeOf = (contactId: string, name: DocumentName) => `${contactId}#${name}`;

/** Seals parsed documents (their stored forms) for one contact. */
export const sealDocuments = (
  vault: Pick<Vault, 'seal'>,
  { id, organizationId }: Pick<Contact, 'id' | 'organizationId'>,
  documents: Readonly<Partial<Record<DocumentName, string>>>,
): SealedDocuments => {
  const sealed: Record<string, string> = {};
  for (const name of DOCUMENT_NAMES) {
    const text = documents[name];
    if (text !== undefined)
      sealed[DOCUMENTS[name].sealed] = vault.seal(PURPOSE, organizationId, text, placeOf(id, name));
  }
  return sealed;
};

/** A contact's documents in full. Throws BrokenSeal when one was altered or moved. Only for who may see them. */
export const openDocuments = (vault: Pick<Vault, 'open'>, contact: Contact): Partial<Record<DocumentName, string>> => {
  const opened: Partial<Record<DocumentName, string>> = {};
  for (const name of DOCUMENT_NAMES) {
    const sealed = contact[DOCUMENTS[name].sealed];
    if (sealed !== undefined)
      opened[name] = vault.open(PURPOSE, contact.organizationId, sealed, placeOf(contact.id, name));
  }
  return opened;
};

/** Whether any document is kept: without one nothing needs to be opened. */
export const hasDocuments = (contact: Contact): boolean =>
  DOCUMENT_NAMES.some((name) => contact[DOCUMENTS[name].sealed] !== undefined);

/** A contact's documents as the single read shows them: masked, whatever the caller may see elsewhere. */
export const maskedDocuments = (
  vault: Pick<Vault, 'open'>,
  contact: Contact,
): Partial<Record<DocumentName, string>> => {
  const shown: Partial<Record<DocumentName, string>> = {};
  for (const [name, text] of Object.entries(openDocuments(vault, contact)) as [DocumentName, string][])
    shown[name] = DOCUMENTS[name].mask(text);
  return shown;
};
