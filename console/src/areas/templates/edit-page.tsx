import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Template } from '../../sdk.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
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

const save = (template: Template, { numberId: _, name, language, components, ...rest }: TemplateForm) =>
  api.templates.change(template.id, {
    ...rest,
    // Once Meta has the template these cannot be sent at all, even unchanged.
    ...(template.name === name ? {} : { name }),
    ...(template.language === language ? {} : { language }),
    components: [...components],
  });

/** A draft, or a template that was rejected, is changed. */
export default function EditTemplatePage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const template = useQuery({ queryKey: ['template', id], queryFn: ({ signal }) => api.templates.get(id, { signal }) });
  return (
    <Page title={template.data ? `${t.edit}: ${template.data.name}` : t.edit}>
      <QueryView query={template}>
        {(data) => (
          <EditForm
            key={id}
            initial={formOf(data)}
            action={t.save}
            save={(form) => save(data, form)}
            invalidates={[['template', id], ['templates']]}
            leadsTo={() => `/templates/${id}`}
          >
            {(form, onChange) => <TemplateFields form={form} isNew={false} onChange={onChange} />}
          </EditForm>
        )}
      </QueryView>
    </Page>
  );
}
