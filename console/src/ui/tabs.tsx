import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSearchValues } from './filters.tsx';

/** A part of a page, shown when its tab is chosen. */
export interface Tab {
  readonly value: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

/** Parts of a page of which one is shown, named by the address. Filters and pages of the one are nothing to the next. */
export const AddressTabs = ({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) => {
  const [{ tab }] = useSearchValues();
  const navigate = useNavigate();
  const shown = tabs.find(({ value }) => value === tab) ?? tabs[0];
  if (!shown) return null;
  const choose = (value: string | null) => {
    const search = value === null || value === tabs[0]?.value ? {} : { tab: value };
    void navigate({ to: '.', search: search as never, replace: true, resetScroll: false });
  };
  return (
    <Tabs value={shown.value} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label={label}>
        {tabs.map(({ value, label: title }) => (
          <Tabs.Tab key={value} value={value}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown.value} pt="md">
        {shown.content()}
      </Tabs.Panel>
    </Tabs>
  );
};
