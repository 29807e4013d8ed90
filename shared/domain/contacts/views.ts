import { maskEmail, maskPhone } from '../phone.ts';
import type { Vault } from '../secrets.ts';
import { isoTime } from '../time.ts';
import type { Contact, OptIn } from './contact.ts';
import { hasDocuments, maskedDocuments } from './documents.ts';

/** Fields that have a value: an absent one is left out of the answer. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const time = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

const optInView = ({ status, source, at, ip, userAgent, revokedAt, revokedReason }: OptIn) => ({
  status,
  ...given({ source, at: time(at), ip, userAgent, revokedAt: time(revokedAt), revokedReason }),
});

const debtorGroupViews = (contact: Contact, unmasked: boolean) =>
  contact.debtorGroups?.map(({ phones, ...group }) => ({
    ...given(group),
    id: group.id,
    company: group.company,
    phones: unmasked ? [...phones] : phones.map(maskPhone),
  }));

/** interface 2.9. Phones and the e-mail address, which are where messages go, are masked without pii:full. */
export const contactView = (contact: Contact, unmasked: boolean) => {
  const {
    name,
    email,
    avatarUrl,
    whatsappProfileName,
    cpfCipher,
    cnpjCipher,
    birthDateCipher,
    externalId,
    externalIds,
    companyId,
    papelNaEmpresa,
  } = contact;
  return {
    id: contact.id,
    organizationId: contact.organizationId,
    phone: unmasked ? contact.phone : maskPhone(contact.phone),
    phoneHash: contact.phoneHash,
    ...given({
      name,
      email: email === undefined || unmasked ? email : maskEmail(email),
      avatarUrl,
      whatsappProfileName,
      cpfCipher,
      cnpjCipher,
      birthDateCipher,
      debtorGroups: debtorGroupViews(contact, unmasked),
      externalId,
      externalIds: externalIds && given(externalIds),
      companyId,
      papelNaEmpresa,
      lastInteractionAt: time(contact.lastInteractionAt),
    }),
    attributes: { ...contact.attributes },
    tags: [...contact.tags],
    optIn: optInView(contact.optIn),
    source: contact.source,
    createdAt: isoTime(contact.createdAt),
    updatedAt: isoTime(contact.updatedAt),
  };
};

/** The single read: with the documents, masked for everyone. The vault is opened only when there are any. */
export const contactReadView = async (
  contact: Contact,
  unmasked: boolean,
  vault: () => Promise<Pick<Vault, 'open'>>,
) => {
  const view = contactView(contact, unmasked);
  return hasDocuments(contact) ? { ...view, documentos: maskedDocuments(await vault(), contact) } : view;
};
