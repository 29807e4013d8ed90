import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { type Role, RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly person: Account;
  readonly onClose: () => void;
}
type Action = 'change' | 'suspend' | 'activate' | 'remove';

const ChangeDialog = ({ person, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [role, setRole] = useState<Role>(person.role === 'operator' ? 'viewer' : person.role);
  return (
    <ActionDialog
      title={t.changeFor(person.name)}
      action={t.change}
      act={() => api.accounts.change(person.id, { role })}
      invalidates={[['people']]}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
    </ActionDialog>
  );
};

const CALLS = {
  suspend: (id: string) => api.accounts.suspend(id),
  activate: (id: string) => api.accounts.activate(id),
  remove: (id: string) => api.accounts.delete(id),
} as const;

const StateDialog = ({ person, action, onClose }: DialogProps & { readonly action: keyof typeof CALLS }) => {
  const t = useTexts(texts);
  const hints = { suspend: t.suspendHint, activate: '', remove: t.removeHint };
  return (
    <ActionDialog<unknown>
      dangerous={action !== 'activate'}
      title={`${t[action]}: ${person.name}`}
      hint={hints[action]}
      action={t[action]}
      act={() => CALLS[action](person.id)}
      invalidates={[['people']]}
      onClose={onClose}
    />
  );
};

/** The actions on a person. */
export const PersonActions = ({ person }: { readonly person: Account }) => {
  const t = useTexts(texts);
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const ofPerson: readonly Action[] = [person.status === 'suspended' ? 'activate' : 'suspend', 'remove'];
  // An operator's role is given and taken by the command line alone.
  const offered: readonly Action[] = person.role === 'operator' ? ofPerson : ['change', ...ofPerson];
  return (
    <>
      <ActionMenu
        label={t.more(person.name)}
        items={offered.map((value) => ({ value, label: t[value] }))}
        onChoose={setAction}
      />
      {action === 'change' ? <ChangeDialog person={person} onClose={close} /> : null}
      {action && action !== 'change' ? <StateDialog person={person} action={action} onClose={close} /> : null}
    </>
  );
};
