import { Code, List } from '@mantine/core';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Segment, SegmentFilter, SegmentFilterTree } from '../../sdk.ts';
import { useConsentWords } from '../../ui/contacts.tsx';
import { kindOf } from './conditions.ts';
import { texts } from './texts.ts';

/** A condition as a sentence. */
export const useSentence = (): ((filter: SegmentFilter) => string) => {
  const t = useTexts(texts);
  const format = useFormat();
  const consents: Readonly<Record<string, string>> = useConsentWords();
  const channels: Readonly<Record<string, string>> = t.channels;
  const words = ({ field, operator, value }: SegmentFilter): string => {
    switch (kindOf({ field, operator })) {
      case 'consent':
        return consents[String(value)] ?? String(value);
      case 'channel':
        return channels[String(value)] ?? String(value);
      case 'boolean':
        return value === false ? t.booleans.false : t.booleans.true;
      case 'moment':
        return Number.isNaN(Date.parse(String(value))) ? String(value) : format.dateTime(String(value));
      default:
        return typeof value === 'string' ? `“${value}”` : String(value ?? '');
    }
  };
  return (filter) =>
    `${t.fields[filter.field]}${filter.key === undefined ? '' : ` “${filter.key}”`} ${t.operators[filter.operator]} ${words(filter)}`;
};

const Tree = ({ tree }: { readonly tree: SegmentFilterTree }) => {
  const t = useTexts(texts);
  const sentence = useSentence();
  if (tree.kind === 'leaf') return <span className="breakable">{tree.filter ? sentence(tree.filter) : null}</span>;
  const nodes = tree.nodes ?? [];
  return (
    <>
      <Code>{t.builder[tree.operator ?? 'and']}</Code>
      <List withPadding>
        {nodes.map((node, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a saved description does not change while it is shown.
          <List.Item key={at}>
            <Tree tree={node} />
          </List.Item>
        ))}
      </List>
    </>
  );
};

/** The conditions of a segment. */
export const Conditions = ({ segment }: { readonly segment: Pick<Segment, 'filters' | 'filterTree'> }) => {
  const { filters, filterTree } = segment;
  const flat: SegmentFilterTree = {
    kind: 'group',
    operator: 'and',
    nodes: filters.map((filter) => ({ kind: 'leaf', filter })),
  };
  return (
    <div>
      <Tree tree={filterTree ?? flat} />
    </div>
  );
};
