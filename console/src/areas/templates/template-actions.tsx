import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { texts } from './texts.ts';

interface RemoveProps {
  readonly hint: string;
  readonly remove: () => Promise<void>;
  /** Where one is led then. */
  readonly to: string;
  readonly queryKey: string;
}

/** Deletes a template once one has confirmed it. */
export const RemoveButton = ({ hint, remove, to, queryKey }: RemoveProps) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asks, setAsks] = useState(false);
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      await navigate({ to });
      await queries.invalidateQueries({ queryKey: [queryKey] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        {t.remove}
      </Button>
      <Confirm
        opened={asks}
        dangerous
        onClose={() => setAsks(false)}
        title={t.remove}
        hint={hint}
        action={t.remove}
        onConfirm={() => removing.mutate()}
        busy={removing.isPending}
        error={removing.error}
      />
    </>
  );
};

const SubmitButton = ({ template }: { readonly template: Template }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const submitting = useMutation({
    mutationFn: () => api.templates.submit(template.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['template', template.id] });
      await queries.invalidateQueries({ queryKey: ['templates'] });
      setAsks(false);
    },
  });
  return (
    <>
      <Button onClick={() => setAsks(true)}>{t.submit}</Button>
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title={t.submit}
        hint={t.submitHint}
        action={t.submit}
        onConfirm={() => submitting.mutate()}
        busy={submitting.isPending}
        error={submitting.error}
      />
    </>
  );
};

/** The actions on a template in its status that the person may do. */
export const TemplateActions = ({ template }: { readonly template: Template }) => {
  const t = useTexts(texts);
  const may = useMay();
  const { id, status } = template;
  if (!may('templates:write')) return null;
  const isOpen = status === 'draft' || status === 'rejected';
  return (
    <>
      {isOpen ? (
        <Button variant="default" component={Link} to={`/templates/${id}/edit`}>
          {t.edit}
        </Button>
      ) : null}
      {isOpen || status === 'submitted' ? <SubmitButton template={template} /> : null}
      <RemoveButton hint={t.removeHint} remove={() => api.templates.delete(id)} to="/templates" queryKey="templates" />
    </>
  );
};
