import { ActionIcon, Button, Fieldset, NativeSelect, Group as Row, Stack, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { fromLocal, toLocal } from '../../app/local-time.ts';
import { useTexts } from '../../app/texts.ts';
import { useConsentWords } from '../../ui/contacts.tsx';
import { type Choice, choicesOf, useFieldError } from '../../ui/fields.tsx';
import {
  type AttributeType,
  type Condition,
  countOf,
  type Field,
  type Group,
  isFlat,
  kindOf,
  MAX_CONDITIONS,
  MAX_DEPTH,
  type Node,
  newCondition,
  newGroup,
  OPERATORS,
  type Operator,
  typesOf,
  withField,
  withOperator,
  withType,
} from './conditions.ts';
import { texts } from './texts.ts';

interface ChoicesProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly onChange: (value: T) => void;
}

const Choices = <T extends string>({ label, value, choices, onChange }: ChoicesProps<T>) => (
  <NativeSelect
    label={label}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
    data={[...choices]}
  />
);

interface ConditionProps {
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

interface ValueProps extends ConditionProps {
  readonly error: string | undefined;
}

/** The type of an attribute's value, where the operator leaves a choice. */
const TypeChoice = ({ condition, onChange }: ConditionProps) => {
  const t = useTexts(texts);
  const types = typesOf(condition);
  if (types.length === 0) return null;
  return (
    <Choices<AttributeType>
      label={t.builder.type}
      value={condition.type}
      choices={types.map((value) => ({ value, label: t.types[value] }))}
      onChange={(type) => onChange(withType(condition, type))}
    />
  );
};

/** How a value is typed in: of an attribute, by its type. */
const inputOf = (condition: Condition): string => (typesOf(condition).length > 0 ? condition.type : kindOf(condition));

/** The value, by what the operator compares with. */
const Value = ({ condition, onChange, error }: ValueProps) => {
  const t = useTexts(texts);
  const consents = useConsentWords();
  const { text } = condition;
  const input = inputOf(condition);
  const set = (value: string) => onChange({ ...condition, text: value });
  const choices: Partial<Record<string, Choice[]>> = {
    consent: choicesOf(consents),
    channel: choicesOf(t.channels),
    boolean: choicesOf(t.booleans),
  };
  if (choices[input]) return <Choices label={t.builder.value} value={text} choices={choices[input]} onChange={set} />;
  const field = { label: t.builder.value, error };
  if (input === 'moment')
    return (
      <TextInput
        {...field}
        type="datetime-local"
        value={toLocal(text)}
        onChange={({ currentTarget }) => set(fromLocal(currentTarget.value) ?? '')}
      />
    );
  const isNumber = input === 'number' || input === 'days';
  return (
    <TextInput
      {...field}
      type={isNumber ? 'number' : 'text'}
      {...(isNumber ? { step: 'any' } : {})}
      value={text}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
};

/** The place of conditions that need no tree. */
const FLAT = 'filters';

interface PlaceProps {
  /** Where the node stands in the body, by which a problem names it. */
  readonly path: string;
}

const ConditionRow = ({
  condition,
  onChange,
  onRemove,
  path,
}: ConditionProps & PlaceProps & { readonly onRemove: (() => void) | undefined }) => {
  const t = useTexts(texts);
  const valueError = useFieldError(`${path}.value`);
  const keyError = useFieldError(`${path}.key`);
  const { field, operator, key } = condition;
  const operators = Object.keys(OPERATORS[field]) as Operator[];
  return (
    <Row align="flex-start" gap="xs" role="group" aria-label={t.condition}>
      <Choices<Field>
        label={t.builder.field}
        value={field}
        choices={choicesOf(t.fields)}
        onChange={(chosen) => onChange(withField(condition, chosen))}
      />
      {field === 'attribute' ? (
        <TextInput
          label={t.builder.key}
          value={key}
          error={keyError}
          onChange={({ currentTarget }) => onChange({ ...condition, key: currentTarget.value })}
        />
      ) : null}
      <Choices<Operator>
        label={t.builder.operator}
        value={operator}
        choices={operators.map((value) => ({ value, label: t.operators[value] }))}
        onChange={(chosen) => onChange(withOperator(condition, chosen))}
      />
      <TypeChoice condition={condition} onChange={onChange} />
      <Value condition={condition} onChange={onChange} error={valueError} />
      {onRemove ? (
        <ActionIcon
          mt={28}
          variant="subtle"
          color="gray"
          aria-label={t.builder.removeCondition}
          title={t.builder.removeCondition}
          onClick={onRemove}
        >
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      ) : null}
    </Row>
  );
};

interface GroupProps extends PlaceProps {
  readonly group: Group;
  /** Its identification: the position of each group among its siblings. */
  readonly name: string;
  readonly depth: number;
  /** Whether another condition may be added anywhere. */
  readonly room: boolean;
  readonly onChange: (group: Group) => void;
  readonly onRemove?: () => void;
}

const Buttons = ({ group, depth, room, onChange, onRemove }: GroupProps) => {
  const t = useTexts(texts).builder;
  const add = (node: Node) => onChange({ ...group, nodes: [...group.nodes, node] });
  const plus = <Plus size={14} aria-hidden />;
  return (
    <Row gap="xs">
      <Button size="xs" variant="default" disabled={!room} leftSection={plus} onClick={() => add(newCondition())}>
        {t.addCondition}
      </Button>
      {depth < MAX_DEPTH ? (
        <Button
          size="xs"
          variant="default"
          disabled={!room}
          leftSection={plus}
          onClick={() => add(newGroup(group.operator === 'and' ? 'or' : 'and'))}
        >
          {t.addGroup}
        </Button>
      ) : null}
      {onRemove ? (
        <Button size="xs" variant="subtle" color="red" onClick={onRemove}>
          {t.removeGroup}
        </Button>
      ) : null}
    </Row>
  );
};

const GroupBox = (props: GroupProps) => {
  const t = useTexts(texts).builder;
  const { group, name, depth, room, onChange, path } = props;
  const { nodes } = group;
  const replace = (at: number, node: Node) => onChange({ ...group, nodes: nodes.with(at, node) });
  const remove = (at: number) => onChange({ ...group, nodes: nodes.toSpliced(at, 1) });
  const child = (node: Node, at: number): ReactNode => {
    const place = path === FLAT ? `${FLAT}.${at}` : `${path}.nodes.${at}`;
    if (node.kind === 'group')
      return (
        <GroupBox
          key={node.node}
          group={node}
          name={`${name}.${at + 1}`}
          depth={depth + 1}
          room={room}
          path={place}
          onChange={(changed) => replace(at, changed)}
          onRemove={() => remove(at)}
        />
      );
    return (
      <ConditionRow
        key={node.node}
        condition={node}
        path={path === FLAT ? place : `${place}.filter`}
        onChange={(changed) => replace(at, changed)}
        onRemove={nodes.length > 1 ? () => remove(at) : undefined}
      />
    );
  };
  return (
    <Fieldset legend={t.group(name)}>
      <Stack gap="sm">
        <Choices<Group['operator']>
          label={t.join}
          value={group.operator}
          choices={[
            { value: 'and', label: t.and },
            { value: 'or', label: t.or },
          ]}
          onChange={(operator) => onChange({ ...group, operator })}
        />
        {nodes.map(child)}
        <Buttons {...props} />
      </Stack>
    </Fieldset>
  );
};

interface BuilderProps {
  readonly root: Group;
  readonly onChange: (root: Group) => void;
}

/** Builds conditions that are joined by and and or, in groups within groups. */
export const Builder = ({ root, onChange }: BuilderProps) => (
  <GroupBox
    group={root}
    name="1"
    depth={1}
    room={countOf(root) < MAX_CONDITIONS}
    path={isFlat(root) ? FLAT : 'filterTree'}
    onChange={onChange}
  />
);
