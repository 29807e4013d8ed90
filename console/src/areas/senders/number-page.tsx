import { Alert, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ChangeNumber, WhatsappNumber } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { AppLink, Fact, Facts, StateOf, Time } from '../../ui/values.tsx';
import { NUMBER_TONES, QUALITY_TONES } from './number-list.tsx';
import { texts } from './texts.ts';

const PROFILE = ['about', 'address', 'email', 'website', 'vertical'] as const;
type ProfileField = (typeof PROFILE)[number];

interface NumberProps {
  readonly number: WhatsappNumber;
}
interface DialogProps extends NumberProps {
  readonly onClose: () => void;
}

const keysOf = ({ id }: WhatsappNumber) => [['number', id], ['numbers']];

const ProfileDialog = ({ number, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [before] = useState(
    () =>
      Object.fromEntries(PROFILE.map((name) => [name, number.profile?.[name] ?? ''])) as Record<ProfileField, string>,
  );
  const [fields, setFields] = useState(before);
  const changes = () =>
    Object.fromEntries(
      PROFILE.filter((name) => fields[name] !== before[name]).map((name) => [
        name,
        fields[name] === '' && name !== 'about' && name !== 'vertical' ? null : fields[name],
      ]),
    );
  return (
    <ActionDialog
      title={t.editProfile}
      hint={t.profileHint}
      action={t.save}
      act={() => api.numbers.changeProfile(number.id, changes())}
      invalidates={keysOf(number)}
      onClose={onClose}
    >
      {PROFILE.map((name) => {
        const Field = name === 'about' ? TextAreaField : TextField;
        return (
          <Field
            key={name}
            name={name}
            label={t.profile[name]}
            value={fields[name]}
            onChange={(value) => setFields({ ...fields, [name]: value })}
          />
        );
      })}
    </ActionDialog>
  );
};

/** Changes how fast a number sends, and with which token. What is left empty stays; an emptied rate is Meta's own again. */
const SettingsDialog = ({ number, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [before] = useState(() => ({
    perSecond: String(number.rateLimit.perSecond),
    perDay: String(number.rateLimit.perDay),
  }));
  const [rates, setRates] = useState(before);
  const [accessToken, setAccessToken] = useState('');
  const rateOf = (name: 'perSecond' | 'perDay') =>
    rates[name] === before[name] ? {} : { [name]: rates[name] === '' ? null : Number(rates[name]) };
  const changes = (): ChangeNumber => {
    const rateLimit = { ...rateOf('perSecond'), ...rateOf('perDay') };
    return {
      ...(Object.keys(rateLimit).length > 0 ? { rateLimit } : {}),
      ...(accessToken.trim() === '' ? {} : { accessToken: accessToken.trim() }),
    };
  };
  return (
    <ActionDialog
      title={t.settings}
      hint={t.settingsHint}
      action={t.save}
      act={() => api.numbers.change(number.id, changes())}
      invalidates={keysOf(number)}
      onClose={onClose}
    >
      <TextField
        name="rateLimit.perSecond"
        label={t.perSecond}
        type="number"
        value={rates.perSecond}
        onChange={(perSecond) => setRates({ ...rates, perSecond })}
      />
      <TextField
        name="rateLimit.perDay"
        label={t.perDay}
        type="number"
        value={rates.perDay}
        onChange={(perDay) => setRates({ ...rates, perDay })}
      />
      <TextField
        name="accessToken"
        label={t.newAccessToken}
        description={t.accessTokenHint}
        type="password"
        value={accessToken}
        onChange={setAccessToken}
      />
    </ActionDialog>
  );
};

const DisconnectDialog = ({ number, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  return (
    <ActionDialog
      title={`${t.disconnect}: ${number.displayPhone}`}
      hint={t.disconnectHint}
      action={t.disconnect}
      dangerous
      act={() => api.numbers.disconnect(number.id)}
      invalidates={[['numbers']]}
      onDone={() => navigate({ to: '/senders', search: { tab: 'numbers' } as never })}
      onClose={onClose}
    />
  );
};

const DIALOGS = { profile: ProfileDialog, settings: SettingsDialog, disconnect: DisconnectDialog } as const;

const Actions = ({ number }: NumberProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [action, setAction] = useState<keyof typeof DIALOGS>();
  const syncing = useAction(() => api.numbers.sync(number.id), { invalidates: keysOf(number) });
  const Dialog = action ? DIALOGS[action] : undefined;
  if (!may('numbers:write')) return null;
  return (
    <>
      <ProblemView error={syncing.error} />
      <Button onClick={() => syncing.mutate()} loading={syncing.isPending}>
        {t.sync}
      </Button>
      <Button variant="default" onClick={() => setAction('profile')}>
        {t.editProfile}
      </Button>
      <Button variant="default" onClick={() => setAction('settings')}>
        {t.settings}
      </Button>
      <Button variant="default" onClick={() => setAction('disconnect')}>
        {t.disconnect}
      </Button>
      {Dialog ? <Dialog number={number} onClose={() => setAction(undefined)} /> : null}
    </>
  );
};

const Whole = ({ number }: NumberProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { status, qualityRating, messagingTier, rateLimit, meta, profile = {} } = number;
  const given = PROFILE.filter((name) => profile[name]);
  return (
    <Stack gap="xl">
      {meta.partnerRemovedAt ? (
        <Alert color="red" variant="outline" icon={<Unplug aria-hidden />} title={t.removed}>
          {t.removedHint} <Time at={meta.partnerRemovedAt} />
        </Alert>
      ) : null}
      <Facts>
        <Fact name={t.status}>
          <StateOf state={status} tones={NUMBER_TONES} words={t.numberStates} />
        </Fact>
        <Fact name={t.quality}>
          <StateOf state={qualityRating} tones={QUALITY_TONES} words={t.qualities} />
        </Fact>
        <Fact name={t.tier}>{t.tiers[messagingTier]}</Fact>
        <Fact name={t.perSecond}>{format.number(rateLimit.perSecond)}</Fact>
        <Fact name={t.perDay}>{format.number(rateLimit.perDay)}</Fact>
        <Fact name={t.verifiedName}>{meta.verifiedName ?? '—'}</Fact>
        <Fact name={t.nameStatus}>{meta.nameStatus ? t.nameStates[meta.nameStatus] : '—'}</Fact>
        <Fact name={t.synced}>
          <Time at={number.lastPlatformSyncAt ?? undefined} relative />
        </Fact>
        <Fact name={t.phoneNumberId}>
          <CopyText text={number.phoneNumberId} />
        </Fact>
        <Fact name={t.wabaId}>
          <CopyText text={number.wabaId} />
        </Fact>
        <Fact name="ID">
          <CopyText text={number.id} />
        </Fact>
        <Fact name={t.messages}>
          <AppLink to="/messages" search={{ numberId: number.id }}>
            {t.seeMessages}
          </AppLink>
        </Fact>
      </Facts>
      {given.length > 0 ? (
        <Section title={t.profileTitle}>
          <Facts>
            {given.map((name) => (
              <Fact key={name} name={t.profile[name]}>
                {profile[name]}
              </Fact>
            ))}
          </Facts>
        </Section>
      ) : null}
    </Stack>
  );
};

/** A WhatsApp number: how it stands with Meta, how fast it sends, and what people see of it. */
export default function NumberPageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const number = useQuery({ queryKey: ['number', id], queryFn: ({ signal }) => api.numbers.get(id, { signal }) });
  return (
    <Page
      title={number.data?.displayPhone ?? t.number}
      description={
        <AppLink to="/senders" search={{ tab: 'numbers' }}>
          {t.tabs.numbers}
        </AppLink>
      }
      actions={number.data ? <Actions number={number.data} /> : null}
    >
      <QueryView query={number}>{(data) => <Whole number={data} />}</QueryView>
    </Page>
  );
}
