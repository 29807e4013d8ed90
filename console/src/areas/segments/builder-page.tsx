import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { isProblem, type Segment } from '../../sdk.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { AppLink } from '../../ui/values.tsx';
import { Builder } from './builder.tsx';
import { descriptionOf, type Group, isComplete, newGroup, rootOf } from './conditions.ts';
import { Preview } from './preview.tsx';
import { texts } from './texts.ts';

/** Where another segment has the name: the way to it. */
const Existing = ({ error }: { readonly error: unknown }) => {
  const t = useTexts(texts);
  if (!isProblem(error, 'CONFLICT') || !error.meta.segmentId) return null;
  return <AppLink to={`/segments/${error.meta.segmentId}`}>{t.existing}</AppLink>;
};

interface SegmentForm {
  readonly name: string;
  readonly description: string;
  readonly root: Group;
}

const save = (segment: Segment | undefined, { name, description, root }: SegmentForm) => {
  const conditions = descriptionOf(root);
  if (!segment) return api.segments.create({ name, ...(description === '' ? {} : { description }), ...conditions });
  const { filters, filterTree = null } = conditions;
  return api.segments.update(segment.id, {
    name,
    description: description === '' ? null : description,
    filters,
    filterTree,
  });
};

const Form = ({ segment }: { readonly segment?: Segment }) => {
  const t = useTexts(texts);
  const { name = '', description = '' } = segment ?? {};
  return (
    <EditForm
      initial={{ name, description, root: segment ? rootOf(segment) : newGroup() }}
      action={t.save}
      save={(form) => save(segment, form)}
      invalidates={[['segments'], ['segment']]}
      leadsTo={({ id }) => `/segments/${id}`}
      isComplete={({ root }) => isComplete(root)}
      advice={(error) => <Existing error={error} />}
    >
      {(form, onChange) => (
        <>
          <TextField
            name="name"
            required
            label={t.name}
            value={form.name}
            onChange={(typed) => onChange({ ...form, name: typed })}
          />
          <TextAreaField
            name="description"
            minRows={2}
            label={t.about}
            value={form.description}
            onChange={(typed) => onChange({ ...form, description: typed })}
          />
          <Section title={t.conditions}>
            <Builder root={form.root} onChange={(root) => onChange({ ...form, root })} />
          </Section>
          <Preview root={form.root} />
        </>
      )}
    </EditForm>
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
