/** Where agents are called that serve each method at a path of its own, below their URL. */
export function methodUrl(url: string, method: string): string {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/$/, "")}/${method}`;
  return target.href;
}
