"""Uses the client that openapi-python-client generated: calls every operation that needs no argument.

usage: use_client.py ADDRESS   (in the folder of the package `client`)
"""

import importlib
import inspect
import pkgutil
import sys

import client.api


def operations():
    for module in pkgutil.walk_packages(client.api.__path__, "client.api."):
        call = getattr(importlib.import_module(module.name), "sync_detailed", None)
        if call is None:
            continue
        needed = [name for name, parameter in inspect.signature(call).parameters.items()
                  if parameter.default is inspect.Parameter.empty]
        if needed == ["client"]:
            yield module.name, call


def main():
    service = client.Client(base_url=sys.argv[1], raise_on_unexpected_status=False, follow_redirects=False, timeout=60)
    called = 0
    for name, call in operations():
        response = call(client=service)
        print(name, response.status_code)
        assert response.status_code < 500, (name, response)
        if response.headers.get("content-type") == "application/json":
            assert response.parsed is not None, (name, response)
        called += 1
    assert called >= 2, called


if __name__ == "__main__":
    main()
