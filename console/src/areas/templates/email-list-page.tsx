import { Mail } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { EmailTemplatePage, EmailTemplateSummary } from '../../sdk.ts';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { TemplatesPage } from './kinds.tsx';
import { texts } from './texts.ts';

const useColumns = (): readonly Column<EmailTemplateSummary>[] => {
  const t = useTexts(texts).columns;
  const format = useFormat();
  return [
    nameColumn(t.name, '/templates/email', 'name'),
    { key: 'subject', title: t.subject, cell: ({ subject }) => <span className="breakable">{subject}</span> },
    { key: 'version', title: t.version, alignEnd: true, cell: ({ version }) => format.number(version) },
    { key: 'updatedAt', title: t.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** The e-mail templates. */
export default function EmailTemplatesPage() {
  const t = useTexts(texts);
  const list = usePagedList<EmailTemplatePage>({
    queryKey: ['email-templates'],
    read: (query, signal) => api.emailTemplates.list(query, { signal }),
  });
  return (
    <TemplatesPage kind="email">
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(Mail, t.emailEmptyTitle, t.emailEmpty)}
      />
    </TemplatesPage>
  );
}
