/** A device that could not be opened again after it was lost: nothing runs on it in this process. */
export class DeviceGone extends Error {
  override readonly name = 'DeviceGone';
}
