import type { EncodedText } from '../../domain/smpp/assemblies.ts';
import { workOnParts } from '../../domain/smpp/expire-parts.ts';
import type { PartsPorts } from '../../domain/smpp/send-parts.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { isDataCoding } from '../../smpp/data-coding.ts';
import { joinParts } from '../../smpp/parts.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { endedPartsWrites } from '../../storage/smpp/notice-writes.ts';
import { partsStore } from '../../storage/smpp/parts.ts';
import { submitPorts } from '../messages/queue-and-send.ts';
import { table } from '../process/aws.ts';
import { smsPorts } from '../sending/ports.ts';

const joinText = (parts: readonly EncodedText[]): string | undefined =>
  joinParts(
    parts.flatMap(({ coding, bytes }) =>
      isDataCoding(coding) ? [{ coding, bytes: Buffer.from(bytes, 'base64') }] : [],
    ),
  );

export const partsPorts: PartsPorts = {
  ...submitPorts,
  ...smsPorts,
  parts: partsStore(table, endedPartsWrites),
  joinText,
};

/** Processes the parts of a message that are due. */
export const processParts = (item: WorkItem): Promise<void> => workOnParts(partsPorts, PARSE_KEY.smppParts(item));
