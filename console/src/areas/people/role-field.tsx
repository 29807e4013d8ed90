import { useSession } from '../../app/session.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account } from '../../sdk.ts';
import { ChoiceField } from '../../ui/fields.tsx';
import { texts } from './texts.ts';

/** A role of an organization: who operates the stage is made so by the command line alone. */
export type Role = Exclude<Account['role'], 'operator'>;
const ROLES: readonly Role[] = ['viewer', 'support', 'developer', 'admin', 'owner'];

interface RoleFieldProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

/** A role, up to the person's own: no one can grant more than they have. */
export const RoleField = ({ value, onChange }: RoleFieldProps) => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const { session } = useSession();
  const highest = ROLES.indexOf(session?.person.role as Role);
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
