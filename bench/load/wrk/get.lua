-- GET of the address that wrk is given.
require "report"
