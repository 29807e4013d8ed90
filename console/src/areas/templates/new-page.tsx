import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Page } from '../../ui/page.tsx';
import { TemplateFields, type TemplateForm } from './template-form.tsx';
import { texts } from './texts.ts';

const NEW: TemplateForm = {
  numberId: '',
  name: '',
  language: 'pt-BR',
  category: 'utility',
  components: [{ type: 'BODY', payload: { text: '' } }],
};

/** A WhatsApp template is written, and kept as a draft. */
export default function NewTemplatePage() {
  const t = useTexts(texts);
  return (
    <Page title={t.create}>
      <EditForm
        initial={NEW}
        action={t.create}
        save={(form) => api.templates.create({ ...form, components: [...form.components] })}
        invalidates={[['templates']]}
        leadsTo={({ id }) => `/templates/${id}`}
      >
        {(form, onChange) => <TemplateFields form={form} isNew onChange={onChange} />}
      </EditForm>
    </Page>
  );
}
