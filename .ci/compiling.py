"""A build hook of hatchling that compiles with mypyc what chunking spends its time in.

It is off: a wheel is pure Python unless ``HATCH_BUILD_HOOKS_ENABLE=1`` is set when it is built. A
compiled wheel holds the same ``.py`` files and, beside those that pyproject.toml names, an
extension module of the same name, which Python prefers. An editable install runs the sources.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "structchunk_core"
# One library holds the code of all modules, so that they call each other directly; the module
# named like a source file only hands out its part of it. It stands beside the package.
_LIBRARY = f"{_PACKAGE}_compiled"
_SETUP = """
import sys
from mypyc.build import mypycify
from setuptools import setup

setup(
    name="compiled",
    packages=[],
    ext_modules=mypycify(
        sys.argv[3:],
        group_name=sys.argv[1],
        multi_file=True,
        opt_level=sys.argv[2],
        debug_level="0",
    ),
    script_args=["build_ext", "--inplace"],
)
"""


class Compiling(BuildHookInterface[Any]):
    """Adds the extension modules to a wheel.

    Its table in pyproject.toml has ``modules``, paths below ``structchunk_core``, and
    ``optimization``, the level of the C compiler.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._kept = tempfile.TemporaryDirectory(prefix="structchunk-compiled-")
        folder = Path(self._kept.name)
        shutil.copytree(Path(self.root, "core", _PACKAGE), folder / _PACKAGE)
        modules = [f"{_PACKAGE}/{module}" for module in self.config["modules"]]
        level = str(self.config["optimization"])
        options = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases"]
        done = subprocess.run(  # noqa: S603  # the interpreter that builds, on our own sources
            [sys.executable, "-c", _SETUP, _LIBRARY, level, *options, *modules],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"mypyc or the C compiler failed:\n{done.stdout.decode()[-5000:]}")
        endings = ("*.so", "*.pyd")
        for ending in endings:
            for path in (*folder.glob(ending), *(folder / _PACKAGE).rglob(ending)):
                build_data["force_include"][str(path)] = str(path.relative_to(folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  # of the interface
        if version != "editable":
            self._kept.cleanup()
