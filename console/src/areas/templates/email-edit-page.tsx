import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { EmailFields, type EmailForm, emailFormOf } from './email-form.tsx';
import { texts } from './texts.ts';

/** An e-mail template is changed; what was sent stays as it is. */
export default function EditEmailTemplatePage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const template = useQuery({
    queryKey: ['email-template', id],
    queryFn: ({ signal }) => api.emailTemplates.get(id, { signal }),
  });
  const changing = useMutation({
    mutationFn: ({ text, variables, ...form }: EmailForm) =>
      api.emailTemplates.change(id, { ...form, variables: [...variables], text: text === '' ? null : text }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['email-template', id] });
      await queries.invalidateQueries({ queryKey: ['email-templates'] });
      await navigate({ to: `/templates/email/${id}` });
    },
  });
  return (
    <Page title={template.data ? `${t.edit}: ${template.data.name}` : t.edit}>
      <ProblemView error={template.error} onRetry={() => void template.refetch()} />
      {template.isPending && !template.error ? <Loading /> : null}
      {template.data ? (
        <EmailFields
          initial={emailFormOf(template.data)}
          action={t.save}
          busy={changing.isPending}
          error={changing.error}
          onSubmit={changing.mutate}
        />
      ) : null}
    </Page>
  );
}
