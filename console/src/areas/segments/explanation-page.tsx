import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { SegmentExplanation } from '../../sdk.ts';
import { contactName } from '../../ui/contacts.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { AppLink, Fact, Facts, Status, Time } from '../../ui/values.tsx';
import { useSentence } from './conditions-view.tsx';
import { texts } from './texts.ts';

interface Row {
  readonly at: number;
  readonly condition: SegmentExplanation['conditions'][number];
}

const Explanation = ({ explanation }: { readonly explanation: SegmentExplanation }) => {
  const t = useTexts(texts);
  const sentence = useSentence();
  const { segmentId, contactId, member, conditions, since, evaluatedAt } = explanation;
  const segment = useQuery({
    queryKey: ['segment', segmentId],
    queryFn: ({ signal }) => api.segments.get(segmentId, { signal }),
  });
  const contact = useQuery({
    queryKey: ['contact', contactId],
    queryFn: ({ signal }) => api.contacts.get(contactId, { signal }),
  });
  const columns: readonly Column<Row>[] = [
    {
      key: 'condition',
      title: t.condition,
      cell: ({ condition }) => <span className="breakable">{sentence(condition.filter)}</span>,
    },
    {
      key: 'result',
      title: t.result,
      cell: ({ condition: { met } }) => <Status tone={met ? 'good' : 'bad'}>{met ? t.met : t.notMet}</Status>,
    },
  ];
  return (
    <Stack>
      <Facts>
        <Fact name={t.result}>
          <Status tone={member ? 'good' : 'neutral'}>{member ? t.member : t.noMember}</Status>
        </Fact>
        <Fact name={t.name}>
          <AppLink to={`/contacts/${contactId}`}>{contact.data ? contactName(contact.data) : contactId}</AppLink>
        </Fact>
        <Fact name={t.title}>
          <AppLink to={`/segments/${segmentId}`}>{segment.data?.name ?? segmentId}</AppLink>
        </Fact>
        <Fact name={t.since}>
          <Time at={since} />
        </Fact>
        <Fact name={t.evaluatedAt}>
          <Time at={evaluatedAt} />
        </Fact>
      </Facts>
      <DataTable
        caption={t.conditions}
        columns={columns}
        rows={conditions.map((condition, at) => ({ condition, at }))}
        keyOf={({ at }) => String(at)}
      />
    </Stack>
  );
};

/** Why a contact is in a segment, or is not: condition by condition, as it is now. */
export default function ExplanationPage() {
  const t = useTexts(texts);
  const { id = '', contactId = '' }: { id?: string; contactId?: string } = useParams({ strict: false });
  const explanation = useQuery({
    queryKey: ['segment', id, 'explanation', contactId],
    queryFn: ({ signal }) => api.segments.explain(id, contactId, { signal }),
  });
  return (
    <Page title={t.explain}>
      <QueryView query={explanation}>{(data) => <Explanation explanation={data} />}</QueryView>
    </Page>
  );
}
