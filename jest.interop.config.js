/** Tests with agents and clients made by others, which are installed when they are needed. See test/interop/README.md. */
import base from "./jest.config.js";

export default {
  ...base,
  testMatch: ["<rootDir>/test/interop/*.interop.ts"],
  globalSetup: "<rootDir>/test/interop/global-setup.ts",
  silent: true,
  // Jest calls no afterAll if every test of a file is skipped, and what that would have stopped must not keep it alive.
  forceExit: true,
};
