"""A package named vllm that does what its server does at the start and at the end: listens, answers, ends on SIGINT.

It stands for somebody else's program. `make test-vllm` runs the real one.
"""

from pathlib import Path

SERVER = """
import argparse, json, os, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

if "--die" in sys.argv:
    sys.exit("ValueError: no such model")
if "--hang" in sys.argv:
    print("loading weights", flush=True)
    time.sleep(60)
parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--served-model-name")
parser.add_argument("--lora-modules", nargs="*", default=[])
options, _ = parser.parse_known_args()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])  # as the engine is one
with open("started.json", "w") as file:
    json.dump({"argv": sys.argv[1:], "env": dict(os.environ), "child": child.pid}, file)
names = [options.served_model_name, *(m.partition("=")[0] for m in options.lora_modules)]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        data = json.dumps({"data": [{"id": name} for name in names]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


try:
    HTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
except KeyboardInterrupt:
    print("shut down", flush=True)
"""


def make_interpreter(folder: Path, python: str, *packages: str) -> Path:
    """Write an interpreter that finds these packages and, for vllm, its server."""
    site = folder / "site"
    for package in packages:
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text("")
    if "vllm" in packages:
        place = site / "vllm" / "entrypoints" / "openai"
        place.mkdir(parents=True)
        for level in (place, place.parent):
            (level / "__init__.py").write_text("")
        (place / "api_server.py").write_text(SERVER)
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{python}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper
