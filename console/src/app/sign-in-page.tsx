import { Alert, Button, Center, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MailCheck, TriangleAlert } from 'lucide-react';
import { type SyntheticEvent, useEffect, useState } from 'react';
import { ProblemError } from '../sdk.ts';
import { Page } from '../ui/page.tsx';
import { ProblemView } from '../ui/problem-view.tsx';
import { EnvironmentSwitch, SettingsMenu } from './menus.tsx';
import { chooseEnvironment, type Environment, requestLink, signIn, useSession } from './session.ts';
import { shellTexts } from './shell-texts.ts';
import { signInTexts } from './sign-in-texts.ts';
import { useTexts } from './texts.ts';

interface SignInSearch {
  readonly env?: string;
  /** Where the person wanted to go. */
  readonly to?: string;
}

const LINK = /^svc_link_(live|test)_[0-9A-Za-z]{40}$/;
/** A page of the console; anything else could lead elsewhere. */
const safeTarget = (to: string | undefined): string =>
  to && /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-in') ? to : '/';

/** The link's token, which is taken out of the address at once: it must not stay in the history. */
const useLinkToken = (): string | undefined => {
  const [token] = useState(() => {
    const found = window.location.hash.slice(1);
    return LINK.test(found) ? found : undefined;
  });
  useEffect(() => {
    if (token) window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  }, [token]);
  return token;
};

const AskForLink = () => {
  const t = useTexts(signInTexts);
  const { environment } = useSession();
  const [email, setEmail] = useState('');
  const asking = useMutation({ mutationFn: () => requestLink(environment, email) });
  if (asking.isSuccess)
    return (
      <Alert icon={<MailCheck aria-hidden />} title={t.sent} role="status" variant="outline">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{environment === 'test' ? t.testHint : t.sentHint(email)}</Text>
          <Button size="xs" variant="default" onClick={() => asking.reset()}>
            {t.another}
          </Button>
        </Stack>
      </Alert>
    );
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    asking.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {environment === 'test' ? <Text size="sm">{t.testHint}</Text> : null}
        <TextInput
          type="email"
          name="email"
          autoComplete="email"
          required
          label={t.email}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <ProblemView error={asking.error} />
        <Button type="submit" loading={asking.isPending}>
          {t.ask}
        </Button>
      </Stack>
    </form>
  );
};

interface EnterProps {
  readonly token: string;
  readonly env: Environment;
  readonly onEntered: () => void;
  readonly onRefused: () => void;
}

/** Asks before it signs in: whoever was sent somebody else's link would otherwise act as that person unawares. */
const Enter = ({ token, env, onEntered, onRefused }: EnterProps) => {
  const t = useTexts(signInTexts);
  const shell = useTexts(shellTexts);
  const entering = useMutation({
    mutationFn: () => signIn(env, token),
    onSuccess: onEntered,
    onError: (error) => {
      if (error instanceof ProblemError && error.status === 401) onRefused();
    },
  });
  return (
    <Stack>
      <Text>{t.withLink}</Text>
      <Text size="sm" c="dimmed">
        {t.environment(shell.environments[env])}
      </Text>
      <ProblemView error={entering.error} />
      <Button onClick={() => entering.mutate()} loading={entering.isPending}>
        {t.enter}
      </Button>
    </Stack>
  );
};

const Refused = () => {
  const t = useTexts(signInTexts);
  return (
    <Alert color="red" variant="outline" role="alert" icon={<TriangleAlert aria-hidden />} title={t.refused}>
      {t.refusedHint}
    </Alert>
  );
};

/** Signing in: asks for a link, and is where links lead. */
export const SignInPage = () => {
  const t = useTexts(signInTexts);
  const navigate = useNavigate();
  const { env, to }: SignInSearch = useSearch({ strict: false });
  const { environment, session } = useSession();
  const token = useLinkToken();
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    if (env === 'live' || env === 'test') chooseEnvironment(env);
  }, [env]);
  const leave = () => void navigate({ to: safeTarget(to), replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once somebody is signed in, there is nothing to do here.
  useEffect(() => {
    if (session && !token) leave();
  }, [session, token]);
  const linkEnv = token?.startsWith('svc_link_test_') ? 'test' : 'live';
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack>
          <Group justify="flex-end" gap="xs">
            {token ? null : <EnvironmentSwitch />}
            <SettingsMenu />
          </Group>
          <Page title={t.title} description={token && !refused ? undefined : t.hint}>
            {refused ? <Refused /> : null}
            {token && !refused ? (
              <Enter token={token} env={linkEnv} onEntered={leave} onRefused={() => setRefused(true)} />
            ) : (
              <AskForLink key={environment} />
            )}
          </Page>
        </Stack>
      </Paper>
    </Center>
  );
};
