/** No usable compiler: what is missing, why it is needed, what to do. */
export class ToolchainError extends Error {
  override readonly name = 'ToolchainError';
}
