"""A JupyterLab with its own folders, for driving widgets in a browser."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import nbformat

CHROMIUM = os.environ.get("EVALNB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Lab:
    """A running JupyterLab over the folder `root`; `stop` ends it."""

    def __init__(self, root: Path, theme: str = "JupyterLab Light") -> None:
        self.root = root
        self.port = _free_port()
        self.token = secrets.token_hex(16)
        settings = root / ".lab" / "settings"
        (settings / "@jupyterlab" / "apputils-extension").mkdir(parents=True)
        (settings / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings").write_text(
            f'{{"theme": "{theme}"}}', "utf-8"
        )
        (settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings").write_text(
            '{"fetchNews": "false", "checkForUpdates": false}', "utf-8"
        )
        environment = {
            **os.environ,
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(root / ".lab" / "workspaces"),
            "JUPYTER_RUNTIME_DIR": str(root / ".lab" / "runtime"),
            "JUPYTER_CONFIG_DIR": str(root / ".lab" / "config"),
            "JUPYTER_DATA_DIR": str(root / ".lab" / "data"),
            "IPYTHONDIR": str(root / ".lab" / "ipython"),
        }
        self.log = (root / ".lab" / "log.txt").open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--allow-root"),
                *(f"--port={self.port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}"),
                *(f"--ServerApp.root_dir={root}", "--ServerApp.disable_check_xsrf=True"),
            ],
            stdout=self.log,
            stderr=self.log,
            env=environment,
            start_new_session=True,
        )
        self._wait()

    def url(self, notebook: str) -> str:
        """Where the notebook opens, alone on the page."""
        return f"http://127.0.0.1:{self.port}/doc/tree/{notebook}?token={self.token}"

    def write(self, name: str, *cells: str) -> str:
        """Put a notebook of code cells into the folder."""
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.root / name)
        return name

    def stop(self) -> None:
        """End the server and its kernels."""
        self.process.send_signal(signal.SIGINT)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def _wait(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api?token={self.token}", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        self.stop()
        raise RuntimeError((self.root / ".lab" / "log.txt").read_text("utf-8")[-2000:])


class Notebook:
    """An open notebook: runs its cells one by one and knows what went wrong on the page."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: self.errors.append("dialog"))
        page.goto(url)
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached", timeout=60_000)

    def cell(self, number: int) -> Any:
        """The cell, from 0."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def run(self, number: int) -> Any:
        """Run a cell and wait for its end; returns it."""
        cell = self.cell(number)
        before = self._prompt(cell)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            # A kernel that has only just said that it is idle may still lose the first request.
            self._dismiss()
            if "*" not in self._prompt(cell):
                cell.locator(".jp-InputArea-editor").click()
                self.page.keyboard.press("Control+Enter")
            for _ in range(60):
                self.page.wait_for_timeout(50)
                now = self._prompt(cell)
                if now != before and "*" not in now and re.search(r"\d", now):
                    return cell
        raise AssertionError(f"cell {number} did not run: {self._prompt(cell)}")

    def restart(self) -> None:
        """Restart the kernel and wait until it stands."""
        self.page.keyboard.press("Escape")
        self.page.evaluate("document.activeElement?.blur()")
        self.page.locator(
            ".jp-NotebookPanel-toolbar [data-jp-item-name='restart'] jp-button, "
            ".jp-NotebookPanel-toolbar [data-jp-item-name='restart'] button"
        ).first.click()
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.wait_for_timeout(1500)
        self.page.wait_for_selector(
            ".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached", timeout=60_000
        )

    def _dismiss(self) -> None:
        """Agree to what the front end asks when it opens a notebook."""
        asked = self.page.locator(".jp-Dialog .jp-mod-accept")
        if asked.count():
            asked.first.click()

    @staticmethod
    def _prompt(cell: Any) -> str:
        return str(cell.locator(".jp-InputPrompt").inner_text())


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
