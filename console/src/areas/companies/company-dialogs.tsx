import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Company, CompanyAttributeDefinition } from '../../sdk.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { CompanyFields, changesOf, draftOf, newCompany } from './company-form.tsx';
import { texts } from './texts.ts';

/** The definitions of companies' attributes; undefined until they are known. */
export const useDefinitions = () =>
  useQuery({
    queryKey: ['company-definitions'],
    queryFn: async ({ signal }) => (await api.companies.getAttributes({ signal })).defs,
  });

interface DialogProps {
  readonly onClose: () => void;
  readonly definitions: readonly CompanyAttributeDefinition[];
}

/** Creates a company, and goes to its page. */
export const CreateCompanyDialog = ({ onClose, definitions }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf({}, definitions));
  return (
    <ActionDialog
      title={t.create}
      act={() => api.companies.create(newCompany(draft, definitions))}
      invalidates={[['companies']]}
      onDone={({ id }) => navigate({ to: `/companies/${id}` })}
      onClose={onClose}
    >
      <CompanyFields draft={draft} onChange={setDraft} definitions={definitions} />
    </ActionDialog>
  );
};

/** Changes what one changes of a company. */
export const EditCompanyDialog = ({ company, onClose, definitions }: DialogProps & { readonly company: Company }) => {
  const t = useTexts(texts);
  const [draft, setDraft] = useState(() => draftOf(company, definitions));
  return (
    <ActionDialog
      title={t.edit}
      action={t.save}
      act={() => api.companies.change(company.id, changesOf(company, draft, definitions))}
      invalidates={[['company', company.id], ['companies']]}
      onClose={onClose}
    >
      <CompanyFields draft={draft} onChange={setDraft} definitions={definitions} />
    </ActionDialog>
  );
};

interface DeleteProps {
  readonly company: Company;
  /** How many deals name it, of every status. */
  readonly cards: number;
  readonly onClose: () => void;
}

/** Deletes a company, once one has read what it lets go of. */
export const DeleteCompanyDialog = ({ company, cards, onClose }: DeleteProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <DeleteDialog
      title={t.removeTitle(company.nome)}
      hint={t.removeHint(format.number(company.contagens.contatos), format.number(cards))}
      action={t.remove}
      remove={() => api.companies.delete(company.id)}
      leadsTo="/companies"
      invalidates={[['companies']]}
      onClose={onClose}
    />
  );
};
