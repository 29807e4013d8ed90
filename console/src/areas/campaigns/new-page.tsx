import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Page } from '../../ui/page.tsx';
import { CampaignFields } from './campaign-form.tsx';
import { creationOf, NEW_CAMPAIGN } from './form.ts';
import { texts } from './texts.ts';

/** A campaign is written, and kept as a draft. */
export default function NewCampaignPage() {
  const t = useTexts(texts);
  return (
    <Page title={t.create}>
      <EditForm
        initial={NEW_CAMPAIGN}
        action={t.create}
        save={(form) => api.campaigns.create(creationOf(form))}
        invalidates={[['campaigns']]}
        leadsTo={({ id }) => `/campaigns/${id}`}
      >
        {(form, onChange) => <CampaignFields form={form} onChange={onChange} />}
      </EditForm>
    </Page>
  );
}
