import { List, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { contactName } from '../../ui/contacts.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { useSettled } from '../../ui/search-field.tsx';
import { AppLink } from '../../ui/values.tsx';
import { descriptionOf, type Group, isComplete } from './conditions.ts';
import { texts } from './texts.ts';

/** Of the newest, so many are shown by name. */
const SHOWN = 5;

const SampleRow = ({ id }: { readonly id: string }) => {
  const contact = useQuery({ queryKey: ['contact', id], queryFn: ({ signal }) => api.contacts.get(id, { signal }) });
  return <AppLink to={`/contacts/${id}`}>{contact.data ? contactName(contact.data) : id}</AppLink>;
};

/**
 * How many contacts meet the conditions as they are built, and the newest of them. It asks once they have stood still for a moment, and gives up a
 * count that a later change makes useless.
 */
export const Preview = ({ root }: { readonly root: Group }) => {
  const t = useTexts(texts).builder;
  const format = useFormat();
  const complete = isComplete(root);
  const description = useSettled(complete ? JSON.stringify(descriptionOf(root)) : '');
  const preview = useQuery({
    queryKey: ['segment-preview', description],
    queryFn: ({ signal }) => api.segments.preview(JSON.parse(description), { signal }),
    enabled: description !== '',
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching } = preview;
  return (
    <Paper withBorder p="md" component="section" aria-label={t.sample}>
      <Stack gap="sm">
        <div role="status">
          {complete ? null : <Text size="sm">{t.invalid}</Text>}
          {complete && data && !error ? (
            <Title order={2} size="h3" data-count={isFetching ? undefined : data.count}>
              {t.count(format.number(data.count))}
            </Title>
          ) : null}
          {isFetching ? (
            <Text size="sm" c="dimmed">
              <Loader size={14} aria-hidden /> {t.counting}
            </Text>
          ) : null}
        </div>
        <ProblemView error={complete ? error : undefined} />
        {complete && data && !error && data.sample.length > 0 ? (
          <div>
            <Text size="sm" fw={600}>
              {t.sample}
            </Text>
            <List size="sm">
              {data.sample.slice(0, SHOWN).map((id) => (
                <List.Item key={id}>
                  <SampleRow id={id} />
                </List.Item>
              ))}
            </List>
          </div>
        ) : null}
      </Stack>
    </Paper>
  );
};
