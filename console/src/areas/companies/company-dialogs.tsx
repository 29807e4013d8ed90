import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Company, CompanyAttributeDefinition } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
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
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf({}, definitions));
  const creating = useMutation({
    mutationFn: () => api.companies.create(newCompany(draft, definitions)),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['companies'] });
      await navigate({ to: `/companies/${id}` });
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.create}
      action={t.create}
      onConfirm={() => creating.mutate()}
      busy={creating.isPending}
      error={creating.error}
    >
      <CompanyFields draft={draft} onChange={setDraft} definitions={definitions} />
    </Confirm>
  );
};

/** Changes what one changes of a company. */
export const EditCompanyDialog = ({ company, onClose, definitions }: DialogProps & { readonly company: Company }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(company, definitions));
  const changing = useMutation({
    mutationFn: () => api.companies.change(company.id, changesOf(company, draft, definitions)),
    onSuccess: (changed) => {
      queries.setQueryData(['company', company.id], changed);
      void queries.invalidateQueries({ queryKey: ['companies'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.edit}
      action={t.save}
      onConfirm={() => changing.mutate()}
      busy={changing.isPending}
      error={changing.error}
    >
      <CompanyFields draft={draft} onChange={setDraft} definitions={definitions} />
    </Confirm>
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
  const navigate = useNavigate();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => api.companies.delete(company.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['companies'] });
      await navigate({ to: '/companies' });
    },
  });
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={t.removeTitle(company.nome)}
      hint={t.removeHint(format.number(company.contagens.contatos), format.number(cards))}
      action={t.remove}
      onConfirm={() => deleting.mutate()}
      busy={deleting.isPending}
      error={deleting.error}
    />
  );
};
