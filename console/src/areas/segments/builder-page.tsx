import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { isProblem, type Segment } from '../../sdk.ts';
import { useAction } from '../../ui/action-dialog.tsx';
import { FieldErrors, TextAreaField, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { AppLink } from '../../ui/values.tsx';
import { Builder } from './builder.tsx';
import { descriptionOf, isComplete, newGroup, rootOf } from './conditions.ts';
import { Preview } from './preview.tsx';
import { texts } from './texts.ts';

/** Why it was not saved: the problem, and the way to the segment that has the name. */
const Fault = ({ error }: { readonly error: unknown }) => {
  const t = useTexts(texts);
  const other = isProblem(error, 'CONFLICT') ? error.meta.segmentId : undefined;
  return (
    <>
      <ProblemView error={error} />
      {other ? <AppLink to={`/segments/${other}`}>{t.existing}</AppLink> : null}
    </>
  );
};

const Form = ({ segment }: { readonly segment?: Segment }) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [name, setName] = useState(segment?.name ?? '');
  const [description, setDescription] = useState(segment?.description ?? '');
  const [root, setRoot] = useState(() => (segment ? rootOf(segment) : newGroup()));
  const save = () => {
    const conditions = descriptionOf(root);
    if (!segment) return api.segments.create({ name, ...(description === '' ? {} : { description }), ...conditions });
    const { filterTree = null } = conditions;
    return api.segments.update(segment.id, {
      name,
      description: description === '' ? null : description,
      filters: conditions.filters,
      filterTree,
    });
  };
  const saving = useAction(save, {
    invalidates: [['segments'], ['segment']],
    onDone: ({ id }) => navigate({ to: `/segments/${id}` }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <FieldErrors value={saving.error}>
      <Stack component="form" onSubmit={submit}>
        <TextField name="name" required label={t.name} value={name} onChange={setName} />
        <TextAreaField name="description" minRows={2} label={t.about} value={description} onChange={setDescription} />
        <Section title={t.conditions}>
          <Builder root={root} onChange={setRoot} />
        </Section>
        <Preview root={root} />
        {saving.error ? <Fault error={saving.error} /> : null}
        <Group justify="flex-end">
          <Button type="submit" disabled={!isComplete(root)} loading={saving.isPending}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </FieldErrors>
  );
};

const Edit = ({ id }: { readonly id: string }) => {
  const segment = useQuery({ queryKey: ['segment', id], queryFn: ({ signal }) => api.segments.get(id, { signal }) });
  return <QueryView query={segment}>{(data) => <Form key={data.id} segment={data} />}</QueryView>;
};

/** Builds a segment, a new one or one that is there, and counts who meets it while one builds. */
export default function BuilderPage() {
  const t = useTexts(texts);
  const { id }: { id?: string } = useParams({ strict: false });
  return <Page title={id ? t.edit : t.create}>{id ? <Edit id={id} /> : <Form />}</Page>;
}
