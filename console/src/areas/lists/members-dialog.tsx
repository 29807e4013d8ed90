import { Alert, Button, FileInput, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChoiceField, choicesOf, TextAreaField } from '../../ui/fields.tsx';
import { NotUtf8, readSheet } from '../../ui/sheet.ts';
import { identifiersOf } from './identifiers.ts';
import { changeMembers, type MemberKind, type MembersResult } from './members.ts';
import { texts } from './texts.ts';

interface ResultProps {
  readonly title: string;
  readonly result: MembersResult;
  readonly onClose: () => void;
}

/** Who joined and left, and who was not found. */
const Result = ({ title, result, onClose }: ResultProps) => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const format = useFormat();
  const { added, removed, notFoundCount, notFound } = result;
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': shell.close }}>
      <Stack>
        <Alert variant="outline" role="status">
          {t.result(format.number(added), format.number(removed))}
        </Alert>
        {notFoundCount > 0 ? (
          <div>
            <Text size="sm">{t.notFound(format.number(notFoundCount))}</Text>
            <List size="sm">
              {notFound.map((each) => (
                <List.Item key={each} className="breakable">
                  {each}
                </List.Item>
              ))}
              {notFoundCount > notFound.length ? <List.Item>{t.more}</List.Item> : null}
            </List>
          </div>
        ) : null}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.close}</Button>
        </Group>
      </Stack>
    </Modal>
  );
};

interface MembersDialogProps {
  readonly listId: string;
  readonly change: 'add' | 'remove';
  readonly onClose: () => void;
}

/** Adds contacts to a list, or takes them out, as they are pasted or stand in a file. */
export const MembersDialog = ({ listId, change, onClose }: MembersDialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const [kind, setKind] = useState<MemberKind>('phones');
  const [text, setText] = useState('');
  const [sent, setSent] = useState(0);
  const reading = useMutation({
    mutationFn: async (file: File | null) => (file ? (await readSheet(file)).map(([first = '']) => first) : []),
  });
  const identifiers = useMemo(() => identifiersOf(text, reading.data ?? []), [text, reading.data]);
  const title = change === 'add' ? t.add : t.takeOut;
  return (
    <ActionDialog
      title={title}
      hint={change === 'add' ? t.addHint : t.takeOutHint}
      act={() => changeMembers(change, listId, kind, identifiers, setSent)}
      invalidates={[['list', listId], ['lists']]}
      onClose={onClose}
      after={(result) => <Result title={title} result={result} onClose={onClose} />}
    >
      <ChoiceField name="kind" label={t.kind} value={kind} onChange={setKind} choices={choicesOf(t.kinds)} />
      <TextAreaField name={kind} required={identifiers.length === 0} label={t.lines} value={text} onChange={setText} />
      <FileInput
        accept=".csv,.txt,text/csv"
        label={t.file}
        description={t.fileHint}
        placeholder={t.choose}
        leftSection={<FileUp size={16} aria-hidden />}
        error={reading.error instanceof NotUtf8 ? t.notUtf8 : undefined}
        onChange={(file) => reading.mutate(file)}
      />
      <div role="status">
        {identifiers.length > 0 ? <Text size="sm">{t.count(format.number(identifiers.length))}</Text> : null}
        {sent > 0 && sent < identifiers.length ? (
          <>
            <Text size="sm">{t.working(format.number(sent), format.number(identifiers.length))}</Text>
            <Progress value={(sent / identifiers.length) * 100} aria-label={title} />
          </>
        ) : null}
      </div>
    </ActionDialog>
  );
};

interface RemoveProps {
  readonly listId: string;
  readonly contact: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Takes one contact out. */
export const RemoveMemberDialog = ({ listId, contact, onClose }: RemoveProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={t.removeOne(contact.name)}
      hint={t.removeHint}
      action={t.remove}
      act={() => api.lists.removeMembers(listId, { contactIds: [contact.id] })}
      invalidates={[['list', listId], ['lists']]}
      onClose={onClose}
    />
  );
};
