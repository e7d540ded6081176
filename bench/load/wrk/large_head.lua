-- GET with a field of 64 KB.
require "report"
wrk.headers["X-Large"] = string.rep("a", 65536)
