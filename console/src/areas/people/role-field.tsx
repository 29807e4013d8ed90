import { useSession } from '../../app/session.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account } from '../../sdk.ts';
import { ChoiceField } from '../../ui/fields.tsx';
import { texts } from './texts.ts';

export type Role = Account['role'];
const ROLES = ['viewer', 'support', 'developer', 'admin', 'owner'] as const satisfies readonly Role[];

interface RoleFieldProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

/** A role, up to one's own: nobody grants more than they hold. */
export const RoleField = ({ value, onChange }: RoleFieldProps) => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const { session } = useSession();
  const highest = ROLES.indexOf(session?.person.role ?? 'viewer');
  return (
    <ChoiceField
      name="role"
      label={t.role}
      description={t.roleHints[value]}
      value={value}
      onChange={onChange}
      choices={ROLES.slice(0, highest + 1).map((role) => ({ value: role, label: shell.roles[role] }))}
    />
  );
};
