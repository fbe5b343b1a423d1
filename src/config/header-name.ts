/** Names of headers, as the configuration gives them. */
import { z } from "zod";

/** A token of RFC 9110, 5.6.2. */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

export const headerName = () => z.string().regex(HEADER_NAME, { error: "must be the name of a header" });
