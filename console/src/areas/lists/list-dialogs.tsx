import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { isProblem, type StaticList } from '../../sdk.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { AppLink } from '../../ui/values.tsx';
import { texts } from './texts.ts';

/** Where another list has the name: the way to it. */
const Existing = ({ error }: { readonly error: unknown }) => {
  const t = useTexts(texts);
  if (!isProblem(error, 'CONFLICT') || !error.meta.listId) return null;
  return <AppLink to={`/lists/${error.meta.listId}`}>{t.existing}</AppLink>;
};
const advice = (error: unknown) => <Existing error={error} />;

interface NameProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly description: string;
  readonly onDescription: (description: string) => void;
}

const NameFields = ({ name, onName, description, onDescription }: NameProps) => {
  const t = useTexts(texts);
  return (
    <>
      <TextField name="name" required maxLength={128} label={t.name} value={name} onChange={onName} />
      <TextAreaField
        name="description"
        maxLength={500}
        minRows={2}
        label={t.about}
        value={description}
        onChange={onDescription}
      />
    </>
  );
};

/** Creates a list, and goes to it. */
export const CreateListDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [name, onName] = useState('');
  const [description, onDescription] = useState('');
  return (
    <ActionDialog
      title={t.create}
      act={() => api.lists.create({ name, ...(description === '' ? {} : { description }) })}
      invalidates={[['lists']]}
      onDone={({ id }) => navigate({ to: `/lists/${id}` })}
      onClose={onClose}
      advice={advice}
    >
      <NameFields {...{ name, onName, description, onDescription }} />
    </ActionDialog>
  );
};

interface ListDialogProps {
  readonly list: StaticList;
  readonly onClose: () => void;
}

/** Changes name and description. */
export const EditListDialog = ({ list, onClose }: ListDialogProps) => {
  const t = useTexts(texts);
  const [name, onName] = useState(list.name);
  const [description, onDescription] = useState(list.description ?? '');
  return (
    <ActionDialog
      title={t.edit}
      action={t.save}
      act={() => api.lists.change(list.id, { name, description: description === '' ? null : description })}
      invalidates={[['lists'], ['list', list.id]]}
      onClose={onClose}
      advice={advice}
    >
      <NameFields {...{ name, onName, description, onDescription }} />
    </ActionDialog>
  );
};

/** Deletes a list; its contacts stay. */
export const DeleteListDialog = ({ list, onClose }: ListDialogProps) => {
  const t = useTexts(texts);
  return (
    <DeleteDialog
      title={t.delete}
      hint={t.deleteHint}
      remove={() => api.lists.delete(list.id)}
      leadsTo="/lists"
      invalidates={[['lists']]}
      onClose={onClose}
    />
  );
};
