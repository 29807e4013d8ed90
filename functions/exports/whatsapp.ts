import { exportWhatsapp as contract } from '../../shared/contracts/exports.ts';
import { exportAnswer } from '../../shared/runtime/export-answer.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { exportMessages } from '../../shared/wiring/exports/exports.ts';

export const handler = operation(contract, (call) => exportMessages(contract, call, 'whatsapp'), exportAnswer);
