import { defineTexts, useTexts } from '../app/texts.ts';
import type { Contact } from '../sdk.ts';
import { type Column, linkColumn } from './data-table.tsx';
import { StateOf, Tag, TagGroup, Time, type Tone } from './values.tsx';

const texts = defineTexts(
  {
    columns: {
      name: 'Nome',
      phone: 'Telefone',
      email: 'E-mail',
      consent: 'Consentimento',
      tags: 'Etiquetas',
      lastInteractionAt: 'Última interação',
    },
    consents: { granted: 'Deu', denied: 'Negou', unknown: 'Não disse' },
    more: (count: string) => `mais ${count}`,
  },
  {
    columns: {
      name: 'Name',
      phone: 'Phone',
      email: 'E-mail',
      consent: 'Consent',
      tags: 'Tags',
      lastInteractionAt: 'Last interaction',
    },
    consents: { granted: 'Given', denied: 'Withdrawn', unknown: 'Not said' },
    more: (count: string) => `${count} more`,
  },
);

/** The consent of a contact. */
export type ConsentState = Contact['optIn']['status'];
const TONES: Readonly<Record<ConsentState, Tone>> = { granted: 'good', denied: 'bad', unknown: 'neutral' };

/** The words for consent, in the order in which a filter offers them. */
export const useConsentWords = () => useTexts(texts).consents;
export const Consent = ({ status }: { readonly status: ConsentState }) => (
  <StateOf state={status} tones={TONES} words={useConsentWords()} />
);

/** The display name of a contact: its name, else another field. */
export const contactName = ({ name, whatsappProfileName, phone, id }: Partial<Contact>): string =>
  name ?? whatsappProfileName ?? phone ?? id ?? '';

const MAX_TAGS = 3;

const Tags = ({ tags }: { readonly tags: readonly string[] }) => {
  const t = useTexts(texts);
  if (tags.length === 0) return <>—</>;
  return (
    <TagGroup title={tags.join(', ')}>
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {tags.length > MAX_TAGS ? t.more(String(tags.length - MAX_TAGS)) : null}
    </TagGroup>
  );
};

/** The columns of a table of contacts; each row leads to its contact. */
export const useContactColumns = (): readonly Column<Contact>[] => {
  const t = useTexts(texts);
  return [
    linkColumn(t.columns.name, ({ id }) => `/contacts/${id}`, contactName),
    { key: 'phone', title: t.columns.phone, cell: ({ phone }) => phone },
    {
      key: 'email',
      title: t.columns.email,
      cell: ({ email }) => <span className="breakable">{email ?? '—'}</span>,
    },
    { key: 'consent', title: t.columns.consent, cell: ({ optIn }) => <Consent status={optIn.status} /> },
    { key: 'tags', title: t.columns.tags, cell: ({ tags }) => <Tags tags={tags} /> },
    {
      key: 'lastInteractionAt',
      title: t.columns.lastInteractionAt,
      cell: ({ lastInteractionAt }) => <Time at={lastInteractionAt} />,
    },
  ];
};
