import { api } from '../api.ts';
import type { Contact } from '../sdk.ts';
import { contactName } from './contacts.tsx';
import { LookupField } from './lookup-field.tsx';

const LIMIT = 20;

const choiceOf = (contact: Contact) => ({
  value: contact.id,
  label: contact.phone ? `${contactName(contact)} · ${contact.phone}` : contactName(contact),
});
const search = async (q: string, signal: AbortSignal) =>
  (await api.contacts.list({ ...(q === '' ? {} : { q }), limit: LIMIT }, { signal })).items.map(choiceOf);
const nameOf = async (id: string, signal: AbortSignal) => choiceOf(await api.contacts.get(id, { signal })).label;

interface ContactFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses a contact of the organization. */
export const ContactField = (props: ContactFieldProps) => (
  <LookupField {...props} what="contacts" search={search} nameOf={nameOf} />
);
