/** A report from a file, which may be anybody's: bounded, checked, and told by its name and the place where it is wrong. */
import * as v from 'valibot';
import type { Report } from '../../report/schema.ts';
import { reportSchema, SCHEMA_VERSION } from '../../report/schema.ts';
import { UsageError } from '../errors.ts';
import { textOf } from '../text-file.ts';
import { messageOf } from '../../spec/message-of.ts';

/** Far more than a report of every kernel on every device takes. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Throws a UsageError where the file is no report that this program reads. */
export function readReportFile(file: string): Report {
  const found = v.safeParse(reportSchema, jsonIn(file));
  if (found.success) return found.output;
  const [issue] = found.issues;
  const place = v.getDotPath(issue) ?? 'the top';
  throw noReport(file, place === 'schema' ? versionText(issue.input) : `at ${place}: ${issue.message}`);
}

function jsonIn(file: string): unknown {
  let text: string;
  try {
    text = textOf(file, MOST_BYTES);
  } catch (error) {
    throw noReport(file, messageOf(error));
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noReport(file, `it is no JSON: ${messageOf(error)}`);
  }
}

const versionText = (version: unknown): string =>
  Number.isInteger(version)
    ? `its schema is ${version}, and this program reads ${SCHEMA_VERSION}: the program that wrote it reads it`
    : 'it says no schema version';

const noReport = (file: string, why: string): UsageError =>
  new UsageError(`${file} is no report that can be read: ${why}.\n  Reports are written by --json FILE.`);
