"""Kernels of the running interpreter, whether or not a kernel specification is installed anywhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

import evalnb

_ARGUMENTS = (
    "-m",
    "evalnb.reporting.kernel_start",
    "-f",
    "{connection_file}",
    "--HistoryManager.enabled=False",
)


class InterpreterKernelManager(AsyncKernelManager):
    """Starts `sys.executable` as the kernel, with the package that this process uses and a folder of its own.

    `private_folder` takes what a kernel would otherwise leave in, or read from, the user's home.
    """

    def __init__(self, *args: Any, private_folder: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._private_folder = Path(private_folder)
        self.connection_file = str(self._private_folder / "kernel.json")
        if os.name == "posix":
            # Sockets in the private folder: no port to race for, none open to the machine's other users.
            self.transport = "ipc"

    @property
    def kernel_spec(self) -> KernelSpec:
        return KernelSpec(argv=[sys.executable, *_ARGUMENTS], display_name="Python 3", language="python")

    async def _async_start_kernel(self, **kwargs: Any) -> None:
        kwargs["env"] = {**os.environ, **kwargs.get("env", {}), **self._environment()}
        await super()._async_start_kernel(stdout=DEVNULL, stderr=DEVNULL, **kwargs)

    start_kernel = _async_start_kernel

    def _environment(self) -> dict[str, str]:
        home = str(Path(evalnb.__file__).resolve().parents[1])
        search = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            "IPYTHONDIR": str(self._private_folder),
            "MPLCONFIGDIR": str(self._private_folder),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(search),
        }
