import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly person: Account;
  readonly onClose: () => void;
}
type Action = 'change' | 'suspend' | 'activate' | 'remove';

const useAction = (act: () => Promise<unknown>, onDone: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['people'] });
      onDone();
    },
  });
};

const ChangeDialog = ({ person, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [role, setRole] = useState(person.role);
  const changing = useAction(() => api.accounts.change(person.id, { role }), onClose);
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.changeFor(person.name)}
      action={t.change}
      onConfirm={() => changing.mutate()}
      busy={changing.isPending}
      error={changing.error}
    >
      <RoleField value={role} onChange={setRole} />
    </Confirm>
  );
};

const CALLS = {
  suspend: (id: string) => api.accounts.suspend(id),
  activate: (id: string) => api.accounts.activate(id),
  remove: (id: string) => api.accounts.delete(id),
} as const;

const StateDialog = ({ person, action, onClose }: DialogProps & { readonly action: keyof typeof CALLS }) => {
  const t = useTexts(texts);
  const acting = useAction(() => CALLS[action](person.id), onClose);
  const hints = { suspend: t.suspendHint, activate: '', remove: t.removeHint };
  return (
    <Confirm
      opened
      dangerous={action !== 'activate'}
      onClose={onClose}
      title={`${t[action]}: ${person.name}`}
      hint={hints[action]}
      action={t[action]}
      onConfirm={() => acting.mutate()}
      busy={acting.isPending}
      error={acting.error}
    />
  );
};

/** What can be done with a person. */
export const PersonActions = ({ person }: { readonly person: Account }) => {
  const t = useTexts(texts);
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const offered: readonly Action[] = ['change', person.status === 'suspended' ? 'activate' : 'suspend', 'remove'];
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.more(person.name)}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((each) => (
            <Menu.Item key={each} onClick={() => setAction(each)}>
              {t[each]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {action === 'change' ? <ChangeDialog person={person} onClose={close} /> : null}
      {action && action !== 'change' ? <StateDialog person={person} action={action} onClose={close} /> : null}
    </>
  );
};
