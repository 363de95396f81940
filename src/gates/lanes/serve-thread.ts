/** The entry of a worker thread: it opens its device, then runs the jobs that it is sent until it is ended. */
import { parentPort } from 'node:worker_threads';
import type { JobAsk, LaneSetup, ServerWord } from './lane.ts';
import { Server, textOf } from './server.ts';

export async function serveThread(setup: LaneSetup): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('jobs are served in a worker thread only');
  const tell = (word: ServerWord): void => {
    if (word.kind !== 'at') port.postMessage(word);
  };
  const server = Server.open(setup, tell);
  server.catch(() => {}); // told of the first job
  port.on('message', (ask: JobAsk) => {
    server.then((open) => open.serve(ask)).catch((error: unknown) => tell({ kind: 'unable', why: textOf(error) }));
  });
}
