import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { CampaignFields } from './campaign-form.tsx';
import { type CampaignForm, changeOf, formOf } from './form.ts';
import { texts } from './texts.ts';

/** A campaign that has not begun is changed. */
export default function EditCampaignPage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => api.campaigns.get(id, { signal }),
  });
  const changing = useMutation({
    mutationFn: (form: CampaignForm) => api.campaigns.update(id, changeOf(form)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['campaign', id] });
      await queries.invalidateQueries({ queryKey: ['campaigns'] });
      await navigate({ to: `/campaigns/${id}` });
    },
  });
  return (
    <Page title={campaign.data ? `${t.edit}: ${campaign.data.name}` : t.edit}>
      <ProblemView error={campaign.error} onRetry={() => void campaign.refetch()} />
      {campaign.isPending && !campaign.error ? <Loading /> : null}
      {campaign.data ? (
        <CampaignFields
          initial={formOf(campaign.data)}
          action={t.save}
          busy={changing.isPending}
          error={changing.error}
          onSubmit={changing.mutate}
        />
      ) : null}
    </Page>
  );
}
