import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Page } from '../../ui/page.tsx';
import { EmailFields, type EmailForm, NEW_EMAIL } from './email-form.tsx';
import { texts } from './texts.ts';

const create = ({ text, variables, ...form }: EmailForm) =>
  api.emailTemplates.create({ ...form, variables: [...variables], ...(text === '' ? {} : { text }) });

/** An e-mail template is written. */
export default function NewEmailTemplatePage() {
  const t = useTexts(texts);
  return (
    <Page title={t.create} description={t.email}>
      <EditForm
        initial={NEW_EMAIL}
        action={t.create}
        save={create}
        invalidates={[['email-templates']]}
        leadsTo={({ id }) => `/templates/email/${id}`}
      >
        {(form, onChange) => <EmailFields form={form} onChange={onChange} />}
      </EditForm>
    </Page>
  );
}
