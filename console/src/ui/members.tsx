import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api.ts';
import { useMay } from '../app/session.ts';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import type { Account } from '../sdk.ts';

const LIMIT = 200;
const NOBODY: readonly Account[] = [];

/** The people of the organization: the first 200 of them. */
export const useMembers = (): readonly Account[] => {
  const may = useMay();
  const members = useQuery({
    queryKey: ['members'],
    queryFn: async ({ signal }) => (await api.accounts.list({ limit: LIMIT }, { signal })).items,
    enabled: may('accounts:read'),
    staleTime: 60_000,
  });
  return members.data ?? NOBODY;
};

/** The names of the organization's people by id: one query for all rows of a page. */
export const useMemberNames = (): ReadonlyMap<string, string> => {
  const members = useMembers();
  return useMemo(() => new Map(members.map(({ id, name }) => [id, name])), [members]);
};

/** The name of a person of the organization; for a removed person, and for a key, the id. */
export const MemberName = ({ id }: { readonly id: string }) => {
  const name = useMemberNames().get(id);
  return <span className="breakable">{name ?? id}</span>;
};

interface MemberFieldProps {
  readonly label: string;
  /** Empty if no person is chosen. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses an active person of the organization, or none. */
export const MemberField = ({ label, value, onChange }: MemberFieldProps) => {
  const t = useTexts(shellTexts);
  const members = useMembers();
  const active = members.filter(({ id, status }) => status === 'active' || id === value);
  const left = value === '' || active.some(({ id }) => id === value) ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[{ value: '', label: t.none }, ...left, ...active.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
};
