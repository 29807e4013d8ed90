import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { EmailFields, type EmailForm, NEW_EMAIL } from './email-form.tsx';
import { texts } from './texts.ts';

/** An e-mail template is written. */
export default function NewEmailTemplatePage() {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: ({ text, variables, ...form }: EmailForm) =>
      api.emailTemplates.create({ ...form, variables: [...variables], ...(text === '' ? {} : { text }) }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['email-templates'] });
      await navigate({ to: `/templates/email/${id}` });
    },
  });
  return (
    <Page title={t.create} description={t.email}>
      <EmailFields
        initial={NEW_EMAIL}
        action={t.create}
        busy={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
      />
    </Page>
  );
}
