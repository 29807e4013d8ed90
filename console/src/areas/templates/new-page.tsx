import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
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
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: (form: TemplateForm) => api.templates.create({ ...form, components: [...form.components] }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['templates'] });
      await navigate({ to: `/templates/${id}` });
    },
  });
  return (
    <Page title={t.create}>
      <TemplateFields
        initial={NEW}
        isNew
        action={t.create}
        busy={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
      />
    </Page>
  );
}
