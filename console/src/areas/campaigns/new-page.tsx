import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { CampaignFields } from './campaign-form.tsx';
import { type CampaignForm, creationOf, NEW_CAMPAIGN } from './form.ts';
import { texts } from './texts.ts';

/** A campaign is written, and kept as a draft. */
export default function NewCampaignPage() {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: (form: CampaignForm) => api.campaigns.create(creationOf(form)),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['campaigns'] });
      await navigate({ to: `/campaigns/${id}` });
    },
  });
  return (
    <Page title={t.create}>
      <CampaignFields
        initial={NEW_CAMPAIGN}
        action={t.create}
        busy={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
      />
    </Page>
  );
}
