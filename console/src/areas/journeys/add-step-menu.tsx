import { Button, Menu } from '@mantine/core';
import { Plus } from 'lucide-react';
import { memo } from 'react';
import { useTexts } from '../../app/texts.ts';
import { KINDS, type StepKind } from './graph.ts';
import { stepTexts } from './step-texts.ts';

interface AddStepMenuProps {
  readonly label: string;
  readonly onAdd: (kind: StepKind) => void;
}

/** Adds a step of a kind that is chosen. */
export const AddStepMenu = memo(({ label, onAdd }: AddStepMenuProps) => {
  const t = useTexts(stepTexts);
  return (
    <Menu shadow="md">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Plus size={14} aria-hidden />}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {KINDS.map((kind) => (
          <Menu.Item key={kind} onClick={() => onAdd(kind)}>
            {t.kinds[kind]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
});
