import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { texts } from './texts.ts';

interface RemoveProps {
  readonly hint: string;
  readonly remove: () => Promise<void>;
  /** Where one is led then. */
  readonly leadsTo: string;
  readonly queryKey: string;
}

/** Deletes a template once one has confirmed it. */
export const RemoveButton = ({ queryKey, ...removal }: RemoveProps) => {
  const t = useTexts(texts);
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        {t.remove}
      </Button>
      {asks ? (
        <DeleteDialog title={t.remove} {...removal} invalidates={[[queryKey]]} onClose={() => setAsks(false)} />
      ) : null}
    </>
  );
};

const SubmitButton = ({ template }: { readonly template: Template }) => {
  const t = useTexts(texts);
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button onClick={() => setAsks(true)}>{t.submit}</Button>
      {asks ? (
        <ActionDialog
          title={t.submit}
          hint={t.submitHint}
          act={() => api.templates.submit(template.id)}
          invalidates={[['template', template.id], ['templates']]}
          onClose={() => setAsks(false)}
        />
      ) : null}
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
      <RemoveButton
        hint={t.removeHint}
        remove={() => api.templates.delete(id)}
        leadsTo="/templates"
        queryKey="templates"
      />
    </>
  );
};
