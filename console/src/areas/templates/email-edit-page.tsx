import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { EmailFields, type EmailForm, emailFormOf } from './email-form.tsx';
import { texts } from './texts.ts';

const save = (id: string, { text, variables, ...form }: EmailForm) =>
  api.emailTemplates.change(id, { ...form, variables: [...variables], text: text === '' ? null : text });

/** An e-mail template is changed; what was sent stays as it is. */
export default function EditEmailTemplatePage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const template = useQuery({
    queryKey: ['email-template', id],
    queryFn: ({ signal }) => api.emailTemplates.get(id, { signal }),
  });
  return (
    <Page title={template.data ? `${t.edit}: ${template.data.name}` : t.edit}>
      <QueryView query={template}>
        {(data) => (
          <EditForm
            key={id}
            initial={emailFormOf(data)}
            action={t.save}
            save={(form) => save(id, form)}
            invalidates={[['email-template', id], ['email-templates']]}
            leadsTo={() => `/templates/email/${id}`}
          >
            {(form, onChange) => <EmailFields form={form} onChange={onChange} />}
          </EditForm>
        )}
      </QueryView>
    </Page>
  );
}
