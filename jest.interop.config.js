/** Tests with agents and clients made by others, which are installed when they are needed. See test/interop/README.md. */
import base from "./jest.config.js";

export default {
  ...base,
  testMatch: ["<rootDir>/test/interop/*.interop.ts"],
  globalSetup: "<rootDir>/test/interop/global-setup.ts",
  silent: true,
};
