import { Button, Group, Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useTexts } from '../../app/texts.ts';
import { type Components, rawButtons, withButtons } from './components.ts';
import { texts } from './texts.ts';

const TYPES = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'] as const;
type ButtonType = (typeof TYPES)[number];
type RawButton = Readonly<Record<string, unknown>>;

const isEditable = (button: RawButton): boolean => TYPES.includes(button.type as ButtonType);
const written = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A button of another type: what it leads to is another. */
const ofType = (button: RawButton, type: ButtonType): RawButton => {
  const base = { type, text: written(button.text) };
  if (type === 'URL') return { ...base, url: written(button.url) };
  return type === 'PHONE_NUMBER' ? { ...base, phone_number: written(button.phone_number) } : base;
};

interface ButtonProps {
  readonly button: RawButton;
  readonly onChange: (button: RawButton) => void;
  readonly onRemove: () => void;
}

const ButtonField = ({ button, onChange, onRemove }: ButtonProps) => {
  const t = useTexts(texts);
  const target = button.type === 'URL' ? 'url' : 'phone_number';
  return (
    <Group gap="xs" align="flex-end">
      <NativeSelect
        label={t.buttonType}
        value={written(button.type)}
        data={TYPES.map((value) => ({ value, label: t.buttonTypes[value] }))}
        onChange={({ currentTarget }) => onChange(ofType(button, currentTarget.value as ButtonType))}
      />
      <TextInput
        label={t.buttonText}
        value={written(button.text)}
        onChange={({ currentTarget }) => onChange({ ...button, text: currentTarget.value })}
      />
      {button.type === 'QUICK_REPLY' ? null : (
        <TextInput
          label={target === 'url' ? t.buttonUrl : t.buttonPhone}
          value={written(button[target])}
          onChange={({ currentTarget }) => onChange({ ...button, [target]: currentTarget.value })}
        />
      )}
      <Button variant="subtle" size="xs" onClick={onRemove}>
        {t.removeButton(written(button.text))}
      </Button>
    </Group>
  );
};

interface ButtonFieldsProps {
  readonly components: Components;
  readonly onChange: (components: Components) => void;
}

/** The buttons of the common types; others are written as JSON, and stay. */
export const ButtonFields = ({ components, onChange }: ButtonFieldsProps) => {
  const t = useTexts(texts);
  const buttons = rawButtons(components);
  const set = (next: readonly RawButton[]) => onChange(withButtons(components, next));
  return (
    <Stack gap="xs" role="group" aria-label={t.buttons}>
      <Input.Label component="div">{t.buttons}</Input.Label>
      {buttons.map((button, at) =>
        isEditable(button) ? (
          <ButtonField
            // biome-ignore lint/suspicious/noArrayIndexKey: its text changes while it is typed.
            key={at}
            button={button}
            onChange={(next) => set(buttons.map((each, index) => (index === at ? next : each)))}
            onRemove={() => set(buttons.filter((_, index) => index !== at))}
          />
        ) : null,
      )}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set([...buttons, { type: 'QUICK_REPLY', text: '' }])}
        >
          {t.addButton}
        </Button>
      </Group>
    </Stack>
  );
};
