import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { CampaignFields } from './campaign-form.tsx';
import { changeOf, formOf } from './form.ts';
import { texts } from './texts.ts';

/** A campaign that has not begun is changed. */
export default function EditCampaignPage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => api.campaigns.get(id, { signal }),
  });
  return (
    <Page title={campaign.data ? `${t.edit}: ${campaign.data.name}` : t.edit}>
      <QueryView query={campaign}>
        {(data) => (
          <EditForm
            key={id}
            initial={formOf(data)}
            action={t.save}
            save={(form) => api.campaigns.update(id, changeOf(form))}
            invalidates={[['campaign', id], ['campaigns']]}
            leadsTo={() => `/campaigns/${id}`}
          >
            {(form, onChange) => <CampaignFields form={form} onChange={onChange} />}
          </EditForm>
        )}
      </QueryView>
    </Page>
  );
}
