"""Traces in the messages of OpenTelemetry: every line that the example writes is an ExportTraceServiceRequest of OTLP. Skipped
(77) where its Python package cannot be had.

usage: otlp_test.py SCRIPT_OTLP_TOOLS PROGRAM

PROGRAM is the example `monitored`.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

SKIPPED = 77
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


def get_tools(script):
    done = subprocess.run([script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print("the package cannot be had:", done.stderr[-2000:])
        sys.exit(SKIPPED)
    return pathlib.Path(done.stdout.strip())


def write_traces(program, path):
    server = subprocess.Popen([program, "--port", "0", "--admin-port", "0", "--traces", path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if found := re.search(r"serving (127\.0\.0\.1:\d+)", line):
            address = "http://" + found.group(1)
            break
    else:
        raise RuntimeError("the server did not start")
    for method, target in (("POST", "/orders"), ("POST", "/close"), ("POST", "/orders"), ("GET", "/missing")):
        request = urllib.request.Request(address + target, b'{"article":"tea","cents":350}' if method == "POST" else None,
                                         {"Content-Type": "application/json", "traceparent": f"00-{TRACE}-{PARENT}-01"},
                                         method=method)
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except urllib.error.HTTPError:
            pass
    server.send_signal(signal.SIGTERM)
    assert server.wait() == 0


# With the package.
def check(path):
    import base64
    import json

    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
    from opentelemetry.proto.trace.v1 import trace_pb2

    # Protocol buffers write bytes in base64; OTLP's JSON writes ids in hexadecimal instead.
    def translate(part):
        if isinstance(part, list):
            return [translate(one) for one in part]
        if not isinstance(part, dict):
            return part
        return {key: base64.b64encode(bytes.fromhex(value)).decode() if key in ("traceId", "spanId", "parentSpanId")
                else translate(value) for key, value in part.items()}

    spans = []
    for line in pathlib.Path(path).read_text().splitlines():
        message = json_format.ParseDict(translate(json.loads(line)), trace_service_pb2.ExportTraceServiceRequest())
        for resource in message.resource_spans:
            names = {each.key: each.value.string_value for each in resource.resource.attributes}
            assert names == {"service.name": "monitored"}, names
            for scope in resource.scope_spans:
                assert scope.scope.name == "tern"
                spans += scope.spans
    requests = [span for span in spans if span.kind == trace_pb2.Span.SPAN_KIND_SERVER]
    assert [span.name for span in requests] == ["POST /orders", "POST /close", "POST /orders", "GET"], requests
    for span in spans:
        assert span.trace_id.hex() == TRACE and len(span.span_id) == 8
        assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 10**10
    for span in requests:
        assert span.parent_span_id.hex() == PARENT
        attributes = {each.key: each.value for each in span.attributes}
        status = attributes["http.response.status_code"].int_value
        failed = span.status.code == trace_pb2.Status.STATUS_CODE_ERROR
        assert failed == (status >= 500), (span.name, status)
        assert attributes["network.protocol.version"].string_value == "1.1"
    steps = [span for span in spans if span.kind == trace_pb2.Span.SPAN_KIND_INTERNAL]
    assert [step.name for step in steps] == ["place"] and steps[0].parent_span_id == requests[0].span_id, steps
    print(f"{len(spans)} spans are what OpenTelemetry says")


def main():
    script, program = sys.argv[1:]
    tools = get_tools(script)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "traces.json")
        write_traces(program, path)
        return subprocess.run([tools / "python", __file__, "--check", path], check=False).returncode


if sys.argv[1] == "--check":
    check(sys.argv[2])
else:
    sys.exit(main())
