import { Button, Center, Loader } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Compass, HeartCrack, Lock } from 'lucide-react';
import { ProblemError } from '../sdk.ts';
import { Page } from '../ui/page.tsx';
import { ProblemView } from '../ui/problem-view.tsx';
import { EmptyState, Loading } from '../ui/states.tsx';
import { shellTexts } from './shell-texts.ts';
import { useTexts } from './texts.ts';

/** Shown while an area is loaded. */
export const PendingPage = () => <Loading />;

/** Shown before it is known whether a person is signed in. */
export const PendingSession = () => {
  const t = useTexts(shellTexts);
  return (
    <Center mih="60vh">
      <Loader aria-label={t.loading} role="status" />
    </Center>
  );
};

export const NotFoundPage = () => {
  const t = useTexts(shellTexts);
  return (
    <Page title={t.notFound}>
      <EmptyState
        icon={Compass}
        title={t.notFound}
        action={
          <Button component={Link} to="/">
            {t.goHome}
          </Button>
        }
      >
        {t.notFoundHint}
      </EmptyState>
    </Page>
  );
};

/** In place of an area whose scope the person lacks. */
export const ForbiddenPage = ({ scope }: { readonly scope: string }) => {
  const t = useTexts(shellTexts);
  return (
    <Page title={t.forbidden}>
      <EmptyState icon={Lock} title={t.forbidden}>
        {t.forbiddenHint(scope)}
      </EmptyState>
    </Page>
  );
};

/** A page that threw: the rest of the console continues to work. */
export const CrashedPage = ({ error, reset }: ErrorComponentProps) => {
  const t = useTexts(shellTexts);
  if (error instanceof ProblemError)
    return (
      <Page title={t.problem}>
        <ProblemView error={error} onRetry={reset} />
      </Page>
    );
  return (
    <Page title={t.crashed}>
      <EmptyState
        icon={HeartCrack}
        title={t.crashed}
        action={<Button onClick={() => window.location.reload()}>{t.reload}</Button>}
      >
        {t.crashedHint}
      </EmptyState>
    </Page>
  );
};
