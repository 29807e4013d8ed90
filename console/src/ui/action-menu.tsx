import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';

interface ActionMenuProps<T extends string> {
  /** The object of the actions. */
  readonly label: string;
  readonly items: readonly { readonly value: T; readonly label: string }[];
  readonly onChoose: (value: T) => void;
}

/** The menu of a row. */
export const ActionMenu = <T extends string>({ label, items, onChoose }: ActionMenuProps<T>) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={label}>
        <Ellipsis size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {items.map((item) => (
        <Menu.Item key={item.value} onClick={() => onChoose(item.value)}>
          {item.label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
