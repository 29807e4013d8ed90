import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { TemplateFields, type TemplateForm } from './template-form.tsx';
import { texts } from './texts.ts';

const formOf = ({ numberId, name, language, category, components, headerExampleUrl }: Template): TemplateForm => ({
  numberId,
  name,
  language,
  category,
  components,
  ...(headerExampleUrl ? { headerExampleUrl } : {}),
});

/** A draft, or a template that was rejected, is changed. */
export default function EditTemplatePage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const template = useQuery({ queryKey: ['template', id], queryFn: ({ signal }) => api.templates.get(id, { signal }) });
  const changing = useMutation({
    mutationFn: (form: TemplateForm) => {
      const { numberId: _, name, language, ...rest } = form;
      // Once Meta has the template these cannot be sent at all, even unchanged.
      const named = template.data?.name === name ? {} : { name };
      const spoken = template.data?.language === language ? {} : { language };
      return api.templates.change(id, { ...rest, ...named, ...spoken, components: [...form.components] });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['template', id] });
      await queries.invalidateQueries({ queryKey: ['templates'] });
      await navigate({ to: `/templates/${id}` });
    },
  });
  return (
    <Page title={template.data ? `${t.edit}: ${template.data.name}` : t.edit}>
      <ProblemView error={template.error} onRetry={() => void template.refetch()} />
      {template.isPending && !template.error ? <Loading /> : null}
      {template.data ? (
        <TemplateFields
          initial={formOf(template.data)}
          isNew={false}
          action={t.save}
          busy={changing.isPending}
          error={changing.error}
          onSubmit={changing.mutate}
        />
      ) : null}
    </Page>
  );
}
